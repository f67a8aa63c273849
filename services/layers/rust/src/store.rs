//! Source of the repository: users in memory. Each answer is converted to JSON or a message, since that is a part of
//! the cost of a layer.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::users::{Failure, List, Page, Role, Source, Status, User};

const FIRST_NAMES: [&str; 8] = ["Ada", "Bruno", "Clara", "David", "Elena", "Felix", "Grace", "Hugo"];
const LAST_NAMES: [&str; 9] = [
    "Keller", "Moreau", "Novak", "Okafor", "Rossi", "Silva", "Tanaka", "Weber", "Young",
];
const ROLES: [Role; 4] = [Role::Member, Role::Member, Role::Editor, Role::Admin];
/// 2024-01-08 09:30 UTC.
const FIRST_DAY: i64 = 1_704_706_200;

pub struct Store {
    all: Vec<User>,
    by_id: HashMap<String, usize>,
}

impl Store {
    /// Users with the ids 1 to count, the same at each start.
    pub fn made(count: usize) -> Self {
        let all: Vec<User> = (1..=count).map(made).collect();
        let by_id = all
            .iter()
            .enumerate()
            .map(|(index, user)| (user.id.clone(), index))
            .collect();
        Self { all, by_id }
    }
}

fn made(number: usize) -> User {
    let (first, last) = (
        FIRST_NAMES[number % FIRST_NAMES.len()],
        LAST_NAMES[number % LAST_NAMES.len()],
    );
    let username = format!("{}.{}", first.to_lowercase(), last.to_lowercase());
    let created: DateTime<Utc> =
        DateTime::UNIX_EPOCH + TimeDelta::seconds(FIRST_DAY) + TimeDelta::hours(7) * count(number);
    User {
        id: number.to_string(),
        email: format!("{username}@mail.example.com"),
        username,
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        phone: format!("+1555010{:04}", number % 10_000),
        avatar_url: format!("https://images.example.com/avatars/{number:04}.png"),
        role: ROLES[number % ROLES.len()],
        status: if number % 10 == 0 {
            Status::Suspended
        } else {
            Status::Active
        },
        email_verified: true,
        login_count: count(number % 90 + 10),
        created_at: created,
        updated_at: created + TimeDelta::hours(200),
        last_login_at: created + TimeDelta::hours(300),
    }
}

impl Source for Store {
    async fn get(&self, id: &str) -> Result<User, Failure> {
        match self.by_id.get(id) {
            Some(&index) => Ok(self.all[index].clone()),
            None => Err(Failure::Unknown("no user has this id".to_owned())),
        }
    }

    /// A page beyond the last has no users.
    async fn list(&self, number: i32, size: i32) -> Result<List, Failure> {
        let length = usize::try_from(size).unwrap_or(0).max(1);
        let before = usize::try_from(number).unwrap_or(0).saturating_sub(1);
        let users = self
            .all
            .chunks(length)
            .nth(before)
            .map_or_else(Vec::new, <[User]>::to_vec);
        let page = Page {
            number,
            size,
            total: count(self.all.len()),
            pages: count(self.all.len().div_ceil(length)),
        };
        Ok(List { users, page })
    }
}

/// A store has at most 100,000 users.
fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn cuts_pages() {
        let store = Store::made(45);
        for (number, users) in [(1, 20), (3, 5), (4, 0), (i32::MAX, 0)] {
            let list = store.list(number, 20).await.unwrap();
            assert_eq!(list.users.len(), users, "page {number}");
            let expected = Page {
                number,
                size: 20,
                total: 45,
                pages: 3,
            };
            assert_eq!(list.page, expected);
        }
    }
}
