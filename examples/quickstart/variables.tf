variable "server_url" {
  type        = string
  description = "Where the server answers, as https://terdut.example.com."
}

variable "admin_password" {
  type        = string
  sensitive   = true
  description = "What the first person logs in with."
}
