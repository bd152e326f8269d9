variable "heartbeat" {
  type    = string
  default = "90m"

  validation {
    condition     = provider::terdut::duration(var.heartbeat).seconds >= 60
    error_message = "A dead man's switch waits for at least a minute."
  }
}

output "canonical" {
  value = provider::terdut::duration(var.heartbeat).canonical # "1h30m0s"
}
