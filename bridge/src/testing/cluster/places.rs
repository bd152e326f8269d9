//! The made-up cluster by paths: what a person sees and does at one place, and doors to it that
//! close with a life.

use std::future::pending;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use kube::Config;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::objects::Key;
use super::request::{Target, parameter};
use super::{Asked, Cluster, lock, serve};
use crate::testing::life::Life;

impl Cluster {
    /// The same objects behind a door of their own. Each request but a watch comes to a boundary of
    /// that life before it acts and before its answer arrives.
    pub(crate) async fn behind(&self, life: &Life) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (shared, life) = (Arc::clone(&self.shared), life.clone());
        let routes = Router::new().fallback(move |request: Request| {
            let (shared, life) = (Arc::clone(&shared), life.clone());
            async move {
                let watching = parameter(request.uri().query().unwrap_or_default(), "watch");
                let survives = || watching.is_some() || life.passes();
                if !survives() {
                    pending::<()>().await;
                }
                let answer = serve::serve(shared, request).await;
                if !survives() {
                    pending::<()>().await;
                }
                answer
            }
        });
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { shared: Arc::clone(&self.shared), config: Config::new(url.parse().unwrap()) }
    }

    /// The object at a path.
    pub(crate) fn at(&self, path: &str) -> Option<Value> {
        self.shared.objects().get(&key_at(path)).cloned()
    }

    /// Makes an object at a path, as a person would.
    pub(crate) fn put_at(&self, path: &str, mut object: Value) {
        let Key { namespace, name, .. } = key_at(path);
        object["metadata"]["namespace"] = json!(namespace);
        object["metadata"]["name"] = json!(name);
        self.put(&object);
    }

    /// Changes an object as a person would; its status, too.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let key = key_at(path);
        let mut object = self.at(path).expect("an object to edit");
        change(&mut object);
        self.shared.objects().replace(&key, object).unwrap();
        self.shared.changed.send_replace(());
    }

    /// Asks for an object's deletion, which its finalizers hold up.
    pub(crate) fn delete_at(&self, path: &str) {
        self.shared.objects().delete(&key_at(path), &Value::Null).unwrap();
        self.shared.changed.send_replace(());
    }

    /// Takes an object away, whatever holds it.
    pub(crate) fn take_away(&self, path: &str) {
        self.edit(path, |object| object["metadata"]["finalizers"] = Value::Null);
        self.delete_at(path);
    }

    /// Everything that was asked so far, watches left out.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }
}

fn key_at(path: &str) -> Key {
    match Target::of(path) {
        Some(Target::One { key, .. }) => key,
        other => panic!("{path} leads to no object: {other:?}"),
    }
}
