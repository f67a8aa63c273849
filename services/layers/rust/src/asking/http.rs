use reqwest::{Client, StatusCode, Url};
use serde::{Deserialize, de::DeserializeOwned};

use crate::users::{Failure, List, Source, User};

/// Calls over HTTP/1.1 and keeps connections for the next requests.
pub struct OverHttp {
    client: Client,
    users: Url,
}

#[derive(Deserialize)]
struct Refused {
    error: String,
}

impl OverHttp {
    /// The layer at an address such as <http://127.0.0.1:8081>. It keeps up to that many idle connections.
    pub fn new(base: &str, idle: usize) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self {
            client: Client::builder().no_proxy().pool_max_idle_per_host(idle).build()?,
            users: Url::parse(&format!("{base}/api/v1/users"))?,
        })
    }

    async fn read<Answer: DeserializeOwned>(&self, from: Url) -> Result<Answer, Failure> {
        let place = from.clone();
        let answer = self
            .client
            .get(from)
            .send()
            .await
            .map_err(|error| Failure::broken(&error))?;
        let status = answer.status();
        let text = answer.bytes().await.map_err(|error| Failure::broken(&error))?;
        let refusal: fn(String) -> Failure = match status {
            StatusCode::OK => return parsed(&text),
            StatusCode::NOT_FOUND => Failure::Unknown,
            StatusCode::BAD_REQUEST => Failure::Invalid,
            _ => return Err(Failure::Broken(format!("{place} answered {status}"))),
        };
        Err(refusal(parsed::<Refused>(&text)?.error))
    }
}

fn parsed<Answer: DeserializeOwned>(text: &[u8]) -> Result<Answer, Failure> {
    serde_json::from_slice(text).map_err(|error| Failure::broken(&error))
}

impl Source for OverHttp {
    async fn get(&self, id: &str) -> Result<User, Failure> {
        let mut from = self.users.clone();
        from.path_segments_mut()
            .map_err(|()| Failure::Broken(format!("{} has no path", self.users)))?
            .push(id);
        self.read(from).await
    }

    async fn list(&self, page: i32, size: i32) -> Result<List, Failure> {
        let mut from = self.users.clone();
        from.set_query(Some(&format!("page={page}&page_size={size}")));
        self.read(from).await
    }
}
