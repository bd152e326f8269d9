//! The REST API, as far as the switch needs it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::{Method, Response, StatusCode};
use serde::{Deserialize, Serialize};

/// A switch as the server sends it.
#[derive(Debug, Clone, Deserialize)]
pub struct Switch {
    pub id: i64,
    pub name: String,
    pub matcher: String,
    pub timeout: String,
    pub severity: String,
}

/// What is posted.
#[derive(Debug, Serialize)]
pub struct NewSwitch<'a> {
    pub name: &'a str,
    pub matcher: &'a str,
    pub timeout: &'a str,
    pub severity: &'a str,
}

/// Talks to one server.
#[derive(Debug, Clone)]
pub struct Client {
    base: String,
    token: String,
    http: reqwest::Client,
}

impl Client {
    pub fn new(base: &str, token: &str) -> Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(30)).build()?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), token: token.to_owned(), http })
    }

    /// Looks for a switch in its team's list: the API has no route for one alone.
    pub async fn find(&self, team: &str, id: &str) -> Result<Option<Switch>> {
        let id: i64 = id.parse()?;
        let request = self.http.request(Method::GET, self.url(team));
        let Some(answer) = self.send(request).await? else { return Ok(None) };
        let switches: Vec<Switch> = answer.json().await?;
        Ok(switches.into_iter().find(|switch| switch.id == id))
    }

    pub async fn create(&self, team: &str, wanted: &NewSwitch<'_>) -> Result<Switch> {
        let request = self.http.request(Method::POST, self.url(team)).json(wanted);
        let answer = self.send(request).await?.context("there is no such team")?;
        Ok(answer.json().await?)
    }

    pub async fn remove(&self, team: &str, id: &str) -> Result<()> {
        let url = format!("{}/{id}", self.url(team));
        self.send(self.http.request(Method::DELETE, url)).await?;
        Ok(())
    }

    fn url(&self, team: &str) -> String {
        format!("{}/api/teams/{team}/deadman-switches", self.base)
    }

    /// The answer; `None` for a 404.
    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Option<Response>> {
        let answer = request.bearer_auth(&self.token).send().await?;
        let status = answer.status();
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if !status.is_success() {
            bail!("{status}: {}", answer.text().await?);
        }
        Ok(Some(answer))
    }
}
