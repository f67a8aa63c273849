use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::layersv1::user_service_client::UserServiceClient;
use crate::layersv1::{GetUserRequest, ListUsersRequest};
use crate::users::{Failure, List, Source, User};

/// Calls over one connection, the library's default.
pub struct OverGrpc(UserServiceClient<Channel>);

impl OverGrpc {
    /// The layer at an address such as 127.0.0.1:9091, which need not answer yet.
    pub fn new(target: &str) -> Result<Self, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(format!("http://{target}"))?;
        Ok(Self(UserServiceClient::new(endpoint.connect_lazy())))
    }
}

impl Source for OverGrpc {
    async fn get(&self, id: &str) -> Result<User, Failure> {
        let request = GetUserRequest { user_id: id.to_owned() };
        // A clone is another handle of the same connection.
        let answer = self.0.clone().get_user(request).await.map_err(failure)?;
        answer.into_inner().try_into()
    }

    async fn list(&self, page: i32, page_size: i32) -> Result<List, Failure> {
        let request = ListUsersRequest { page, page_size };
        let answer = self.0.clone().list_users(request).await.map_err(failure)?;
        answer.into_inner().try_into()
    }
}

fn failure(status: Status) -> Failure {
    match status.code() {
        Code::NotFound => Failure::Unknown(status.message().to_owned()),
        Code::InvalidArgument => Failure::Invalid(status.message().to_owned()),
        _ => Failure::broken(&status),
    }
}
