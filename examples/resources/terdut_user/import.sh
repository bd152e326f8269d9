# By id.
terraform import terdut_user.alice 7

# By user name.
terraform import terdut_user.alice name=alice
