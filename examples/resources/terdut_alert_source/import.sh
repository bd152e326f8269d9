# The key of an imported source stays unknown: the server shows it only once.

# By the ids of its team and its own.
terraform import terdut_alert_source.alertmanager 42/7

# By names.
terraform import terdut_alert_source.alertmanager name=Platform/name=prod-alertmanager
