# By its URL. Set admin_token, or admin_token_wo with admin_token_wo_version, to mint a key afterwards.
terraform import terdut_server.main https://terdut.example.com
