variable "namespace" {
  type        = string
  description = "Where the server runs."
  default     = "oncall"
}

variable "hostname" {
  type        = string
  description = "Under which name people and Alertmanagers reach the server."
}

variable "gateway_listener" {
  type        = string
  description = "The Gateway that leads to the server, as gateway, namespace/gateway or namespace/gateway/listener."
}

variable "database_host" {
  type        = string
  description = "Where the Postgres answers that has the database terdut and the user terdut."
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
