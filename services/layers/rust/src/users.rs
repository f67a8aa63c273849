//! Answers of every layer: users, and pages of them.

use std::future::Future;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One user, with its fields in the order of the contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    pub id: String,
    pub username: String,
    pub email: String,
    pub first_name: String,
    pub last_name: String,
    pub phone: String,
    pub avatar_url: String,
    pub role: Role,
    pub status: Status,
    pub email_verified: bool,
    pub login_count: i32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub last_login_at: DateTime<Utc>,
}

/// Permissions of a user.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Member,
    Editor,
    Admin,
}

/// Whether a user may sign in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Active,
    Suspended,
}

/// A page of users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    pub users: Vec<User>,
    pub page: Page,
}

/// Position of a list among all users.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    pub number: i32,
    pub size: i32,
    pub total: i32,
    pub pages: i32,
}

/// Reason that there is no answer. The text of a refusal (all but `Broken`) is the same at every layer.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    Unknown(String),
    Invalid(String),
    /// A layer failed.
    Broken(String),
}

impl Failure {
    pub fn invalid(text: &str) -> Self {
        Self::Invalid(text.to_owned())
    }

    /// An error with all of its causes: libraries leave printing those to the caller.
    pub fn broken(error: &dyn std::error::Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(one) = cause {
            let next = one.to_string();
            if !text.contains(&next) {
                text = format!("{text}: {next}");
            }
            cause = one.source();
        }
        Self::Broken(text)
    }
}

/// A layer as seen by the one above it.
pub trait Source: Send + Sync + 'static {
    /// Returns one user.
    fn get(&self, id: &str) -> impl Future<Output = Result<User, Failure>> + Send;
    /// Returns a page; the first is 1.
    fn list(&self, page: i32, size: i32) -> impl Future<Output = Result<List, Failure>> + Send;
}

/// Default size of a page.
pub const USUAL_SIZE: i32 = 20;
/// Largest size of a page.
pub const MOST_SIZE: i32 = 100;

/// The default for 0: a field of a message that was not set, and the same over HTTP.
pub fn or_usual(number: i32, usual: i32) -> i32 {
    if number == 0 { usual } else { number }
}

/// Work of the service: it refuses requests that the repository need not see.
pub struct Checked<Next>(pub Next);

impl<Next: Source> Source for Checked<Next> {
    async fn get(&self, id: &str) -> Result<User, Failure> {
        if !id
            .parse::<i32>()
            .is_ok_and(|number| number >= 1 && number.to_string() == id)
        {
            return Err(Failure::invalid(
                "the id of a user is a whole number from 1 to 2147483647",
            ));
        }
        self.0.get(id).await
    }

    async fn list(&self, page: i32, size: i32) -> Result<List, Failure> {
        if page < 1 {
            return Err(Failure::invalid("the first page is 1"));
        }
        if !(1..=MOST_SIZE).contains(&size) {
            return Err(Failure::Invalid(format!("a page has 1 to {MOST_SIZE} users")));
        }
        self.0.list(page, size).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[tokio::test]
    async fn refuses_what_no_repository_has() {
        let checked = Checked(Store::made(45));
        assert!(checked.get("45").await.is_ok());
        assert!(matches!(checked.get("46").await, Err(Failure::Unknown(_))));
        for id in ["0", "01", "+1", "2147483648", "x", ""] {
            assert!(matches!(checked.get(id).await, Err(Failure::Invalid(_))), "{id:?}");
        }
        for (page, size) in [(1, 1), (1, 100), (2_147_483_647, 100)] {
            assert!(checked.list(page, size).await.is_ok(), "{page} {size}");
        }
        for (page, size) in [(0, 20), (-1, 20), (1, 0), (1, 101)] {
            assert!(
                matches!(checked.list(page, size).await, Err(Failure::Invalid(_))),
                "{page} {size}"
            );
        }
    }
}
