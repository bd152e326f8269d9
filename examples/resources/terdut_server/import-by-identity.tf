import {
  to = terdut_server.main

  identity = {
    url = "https://terdut.example.com"
  }
}
