variable "port" {
  type        = number
  description = "On which port of this machine the server answers."
  default     = 8080
}

variable "database_password" {
  type        = string
  sensitive   = true
  description = "The password of the database's user terdut."
}

variable "admin_password" {
  type        = string
  sensitive   = true
  description = "What the first person logs in with."
}
