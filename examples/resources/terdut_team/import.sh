# By id.
terraform import terdut_team.platform 42

# By name. In a name, % is written %25 and / is written %2F.
terraform import terdut_team.platform name=Platform
