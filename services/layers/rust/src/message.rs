//! Users and pages in their gRPC form.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use prost_types::Timestamp;

use crate::layersv1;
use crate::users::{Failure, List, Page, Role, Status, User};

impl From<Role> for layersv1::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Member => Self::Member,
            Role::Editor => Self::Editor,
            Role::Admin => Self::Admin,
        }
    }
}

impl TryFrom<layersv1::Role> for Role {
    type Error = Failure;

    fn try_from(role: layersv1::Role) -> Result<Self, Failure> {
        match role {
            layersv1::Role::Unspecified => Err(lacking("role")),
            layersv1::Role::Member => Ok(Self::Member),
            layersv1::Role::Editor => Ok(Self::Editor),
            layersv1::Role::Admin => Ok(Self::Admin),
        }
    }
}

impl From<Status> for layersv1::Status {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Suspended => Self::Suspended,
        }
    }
}

impl TryFrom<layersv1::Status> for Status {
    type Error = Failure;

    fn try_from(status: layersv1::Status) -> Result<Self, Failure> {
        match status {
            layersv1::Status::Unspecified => Err(lacking("status")),
            layersv1::Status::Active => Ok(Self::Active),
            layersv1::Status::Suspended => Ok(Self::Suspended),
        }
    }
}

impl From<User> for layersv1::User {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            phone: user.phone,
            avatar_url: user.avatar_url,
            role: layersv1::Role::from(user.role).into(),
            status: layersv1::Status::from(user.status).into(),
            email_verified: user.email_verified,
            login_count: user.login_count,
            created_at: timestamp(user.created_at),
            updated_at: timestamp(user.updated_at),
            last_login_at: timestamp(user.last_login_at),
        }
    }
}

impl TryFrom<layersv1::User> for User {
    type Error = Failure;

    fn try_from(message: layersv1::User) -> Result<Self, Failure> {
        let (role, status) = (message.role(), message.status());
        Ok(Self {
            id: message.id,
            username: message.username,
            email: message.email,
            first_name: message.first_name,
            last_name: message.last_name,
            phone: message.phone,
            avatar_url: message.avatar_url,
            role: role.try_into()?,
            status: status.try_into()?,
            email_verified: message.email_verified,
            login_count: message.login_count,
            created_at: time(message.created_at.as_ref())?,
            updated_at: time(message.updated_at.as_ref())?,
            last_login_at: time(message.last_login_at.as_ref())?,
        })
    }
}

impl From<List> for layersv1::ListUsersResponse {
    fn from(List { users, page }: List) -> Self {
        Self {
            users: users.into_iter().map(Into::into).collect(),
            page: page.number,
            page_size: page.size,
            total: page.total,
            pages: page.pages,
        }
    }
}

impl TryFrom<layersv1::ListUsersResponse> for List {
    type Error = Failure;

    fn try_from(message: layersv1::ListUsersResponse) -> Result<Self, Failure> {
        let page = Page {
            number: message.page,
            size: message.page_size,
            total: message.total,
            pages: message.pages,
        };
        let users = message
            .users
            .into_iter()
            .map(User::try_from)
            .collect::<Result<_, _>>()?;
        Ok(Self { users, page })
    }
}

impl From<User> for layersv1::GetUserResponse {
    fn from(user: User) -> Self {
        Self {
            user: Some(user.into()),
        }
    }
}

impl TryFrom<layersv1::GetUserResponse> for User {
    type Error = Failure;

    fn try_from(message: layersv1::GetUserResponse) -> Result<Self, Failure> {
        message.user.ok_or_else(|| lacking("user"))?.try_into()
    }
}

/// A message field of a message may be missing.
fn timestamp(time: DateTime<Utc>) -> Option<Timestamp> {
    Some(SystemTime::from(time).into())
}

fn time(message: Option<&Timestamp>) -> Result<DateTime<Utc>, Failure> {
    message
        .and_then(|&Timestamp { seconds, nanos }| DateTime::from_timestamp(seconds, u32::try_from(nanos).ok()?))
        .ok_or_else(|| lacking("time"))
}

fn lacking(what: &str) -> Failure {
    Failure::Broken(format!("the next layer answered without a {what} that there is"))
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;
    use crate::{store::Store, users::Source};

    /// The same as in Go. The study has 450 bytes of JSON and 180 of protobuf for a user, 8,100 and 3,200 for 20, and
    /// 19,500 and 7,800 for 50.
    #[tokio::test]
    async fn has_answers_as_large_as_those_of_the_study() {
        let store = Store::made(100);
        let user = store.get("12").await.unwrap();
        assert_eq!(serde_json::to_vec(&user).unwrap().len(), 385);
        assert_eq!(layersv1::GetUserResponse::from(user).encoded_len(), 158);
        for (size, text, message) in [(20, 7724, 3108), (50, 19219, 7761)] {
            let list = store.list(1, size).await.unwrap();
            assert_eq!(serde_json::to_vec(&list).unwrap().len(), text);
            assert_eq!(layersv1::ListUsersResponse::from(list).encoded_len(), message);
        }
    }

    #[tokio::test]
    async fn keeps_all_fields_in_both_forms() {
        let list = Store::made(100).list(2, 40).await.unwrap();
        let text = serde_json::to_vec(&list).unwrap();
        assert_eq!(serde_json::from_slice::<List>(&text).unwrap(), list);
        let message = layersv1::ListUsersResponse::from(list.clone()).encode_to_vec();
        let read = layersv1::ListUsersResponse::decode(message.as_slice()).unwrap();
        assert_eq!(List::try_from(read), Ok(list));
    }

    #[test]
    fn refuses_a_message_that_lacks_what_every_user_has() {
        let read = User::try_from(layersv1::GetUserResponse::default());
        assert!(matches!(read, Err(Failure::Broken(text)) if text.contains("without a user")));
        let read = User::try_from(layersv1::User::default());
        assert!(matches!(read, Err(Failure::Broken(text)) if text.contains("without a role")));
    }
}
