use std::{future::Future, sync::Arc, time::Instant};

use tonic::transport::{Server, server::Router};
use tonic::{Request, Response, Status};
use tonic_reflection::server::Builder;

use super::Layer;
use crate::layersv1::user_service_server::{UserService, UserServiceServer};
use crate::layersv1::{DESCRIPTORS, GetUserRequest, GetUserResponse, ListUsersRequest, ListUsersResponse};
use crate::users::{Failure, Source, USUAL_SIZE, or_usual};

struct Users<S>(Arc<Layer<S>>);

#[tonic::async_trait]
impl<S: Source> UserService for Users<S> {
    async fn get_user(&self, request: Request<GetUserRequest>) -> Result<Response<GetUserResponse>, Status> {
        let GetUserRequest { user_id } = request.into_inner();
        self.0.call("GetUser", self.0.source.get(&user_id)).await
    }

    async fn list_users(&self, request: Request<ListUsersRequest>) -> Result<Response<ListUsersResponse>, Status> {
        let ListUsersRequest { page, page_size } = request.into_inner();
        let asked = self.0.source.list(or_usual(page, 1), or_usual(page_size, USUAL_SIZE));
        self.0.call("ListUsers", asked).await
    }
}

impl<S: Source> Layer<S> {
    /// Answers a call and counts it.
    async fn call<Answer, Message: From<Answer>>(
        &self,
        method: &str,
        ask: impl Future<Output = Result<Answer, Failure>>,
    ) -> Result<Response<Message>, Status> {
        let start = Instant::now();
        let (code, answer) = match ask.await {
            Ok(answer) => ("OK", Ok(Response::new(answer.into()))),
            Err(Failure::Unknown(text)) => ("NotFound", Err(Status::not_found(text))),
            Err(Failure::Invalid(text)) => ("InvalidArgument", Err(Status::invalid_argument(text))),
            Err(Failure::Broken(text)) => ("Unavailable", Err(Status::unavailable(text))),
        };
        self.figures.call(method, code, start.elapsed());
        answer
    }
}

/// Answers calls, including health checks and reflection.
pub async fn router<S: Source>(layer: Arc<Layer<S>>) -> Result<Router, tonic_reflection::server::Error> {
    let (state, health) = tonic_health::server::health_reporter();
    state.set_serving::<UserServiceServer<Users<S>>>().await;
    let reflected = || {
        Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    Ok(Server::builder()
        .add_service(UserServiceServer::new(Users(layer)))
        .add_service(health)
        .add_service(reflected().build_v1()?)
        .add_service(reflected().build_v1alpha()?))
}
