# Exported from https://terdut.example.org.

terraform {
  # Blocks of import need this.
  required_version = ">= 1.5"

  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

provider "terdut" {
  # The key comes from TERDUT_TOKEN. The ids below are this server's.
  url = "https://terdut.example.org"
}

# Left out: team "two\nlines" (id 3): A name must not hold control characters such as line breaks.

resource "terdut_team" "a_b" {
  name = "a b"
}

resource "terdut_team" "a_b_2" {
  name = "a-b"
}

resource "terdut_team" "zurich_all" {
  name = "Zürich \"$${all}\""
  oidc = {
    member_group = "%%{members}"
    owner_group  = "owners\\all"
  }
}

resource "terdut_user" "ada_l" {
  username   = "Ada L."
  email      = "7@example.org"
  ntfy_topic = "ada"
}

resource "terdut_user" "bob" {
  username = "bob"
  email    = "8@example.org"
}

# Left out: escalation rule of team "a b" (id 2): it pages somebody who is in no list of people

resource "terdut_escalation_rule" "zurich_all" {
  team_id        = terdut_team.zurich_all.id
  repeat_count   = 2
  fallback_topic = "$${topic}"
  levels = [
    {
      timeout = "5m"
      targets = [
        { kind = "oncall" },
      ]
    },
    {
      timeout = "1h"
      targets = [
        { kind = "user", username = terdut_user.ada_l.username },
        { kind = "oncall" },
      ]
    },
  ]
}

# Left out: dead man's switch "below" (id 6): the server says no severity

resource "terdut_deadman_switch" "zurich_all_watch_dog" {
  team_id  = terdut_team.zurich_all.id
  name     = "watch-dog"
  matcher  = "alertname=Watchdog,env=a b"
  timeout  = "1h30m"
  severity = "critical"
}

resource "terdut_deadman_switch" "zurich_all_watch_dog_2" {
  team_id  = terdut_team.zurich_all.id
  name     = "watch.dog"
  matcher  = "alertname=Watchdog,env=a b"
  timeout  = "1h30m"
  severity = "page"
}

# The key and the webhook URL of an alert source are shown once, when it is made: here both stay null.
# To get new ones: terraform apply -replace=ADDRESS. The old key stops working then.

resource "terdut_alert_source" "zurich_all_source_2" {
  team_id = terdut_team.zurich_all.id
  kind    = "alertmanager"
  name    = "監視"
}

resource "terdut_alert_source" "zurich_all_in_visible" {
  team_id = terdut_team.zurich_all.id
  kind    = "webhook"
  name    = "in\u202evisible"
}

# Left out: service account "new" (id 3): "region" is no scope: write "instance" or "team".

resource "terdut_service_account" "account_for" {
  name  = "for"
  scope = "instance"
}

resource "terdut_service_account" "ci" {
  name    = "ci"
  scope   = "team"
  team_id = terdut_team.a_b.id
}

# A key is shown once, when it is made: the token of these stays null, and every import says so.
# Remove what is not to be managed here, from imports.tf too: a key that is destroyed is revoked.

resource "terdut_service_account_key" "account_for_initial" {
  service_account_id = terdut_service_account.account_for.id
  name               = "initial"
}

resource "terdut_service_account_key" "account_for_initial_2" {
  service_account_id = terdut_service_account.account_for.id
  name               = "initial"
}

resource "terdut_service_account_key" "ci_initial" {
  service_account_id = terdut_service_account.ci.id
  name               = "initial"
}

resource "terdut_service_account_key" "ci_tf_ephemeral_mine" {
  service_account_id = terdut_service_account.ci.id
  name               = "tf-ephemeral-mine"
}

# Each object is taken up as it is. After the apply this can be removed.

import {
  to = terdut_team.a_b
  id = "2"
}

import {
  to = terdut_team.a_b_2
  id = "4"
}

import {
  to = terdut_team.zurich_all
  id = "9007199254740993"
}

import {
  to = terdut_user.ada_l
  id = "7"
}

import {
  to = terdut_user.bob
  id = "8"
}

import {
  to = terdut_escalation_rule.zurich_all
  id = "9007199254740993"
}

import {
  to = terdut_deadman_switch.zurich_all_watch_dog
  id = "9007199254740993/4"
}

import {
  to = terdut_deadman_switch.zurich_all_watch_dog_2
  id = "9007199254740993/5"
}

import {
  to = terdut_alert_source.zurich_all_source_2
  id = "9007199254740993/2"
}

import {
  to = terdut_alert_source.zurich_all_in_visible
  id = "9007199254740993/3"
}

import {
  to = terdut_service_account.account_for
  id = "1"
}

import {
  to = terdut_service_account.ci
  id = "2"
}

import {
  to = terdut_service_account_key.account_for_initial
  id = "1/11"
}

import {
  to = terdut_service_account_key.account_for_initial_2
  id = "1/12"
}

import {
  to = terdut_service_account_key.ci_initial
  id = "2/21"
}

import {
  to = terdut_service_account_key.ci_tf_ephemeral_mine
  id = "2/23"
}
## left out: team "two\nlines" (id 3): A name must not hold control characters such as line breaks.
## left out: escalation rule of team "a b" (id 2): it pages somebody who is in no list of people
## left out: dead man's switch "below" (id 6): the server says no severity
## left out: service account "new" (id 3): "region" is no scope: write "instance" or "team".
