import {
  to = terdut_server.main
  id = "https://terdut.example.com"
}
