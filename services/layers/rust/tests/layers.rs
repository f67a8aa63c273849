//! All three layers, which call each other over both protocols, like `services/layers/go/internal/layer/layer_test.go`
//! in Go.

use layers_rust::answering::{Places, serve};
use layers_rust::layer::Next;
use layers_rust::layersv1::GetUserRequest;
use layers_rust::layersv1::user_service_client::UserServiceClient;
use layers_rust::program::Settings;
use layers_rust::store::Store;
use layers_rust::users::{Checked, Source};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::Code;
use tonic::transport::Channel;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};

const WAYS: [&str; 2] = ["grpc", "http"];

/// Addresses of a layer.
struct Address {
    url: String,
    target: String,
}

/// Answers from a source until the test is over.
async fn serving(source: impl Source) -> Address {
    let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let grpc = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Address {
        url: format!("http://{}", http.local_addr().unwrap()),
        target: grpc.local_addr().unwrap().to_string(),
    };
    tokio::spawn(serve(Places { http, grpc }, source, CancellationToken::new()));
    address
}

/// The layer at an address, over a protocol.
fn next(way: &str, at: &Address) -> Next {
    let settings = [
        ("WAY", way),
        ("NEXT_URL", at.url.as_str()),
        ("NEXT_TARGET", at.target.as_str()),
        ("IDLE_CONNECTIONS", "10"),
    ];
    Next::of(&Settings::of(&settings, |_| None)).unwrap()
}

/// The controller, the service and the repository.
async fn chain(way: &str) -> [Address; 3] {
    let repository = serving(Store::made(100)).await;
    let service = serving(Checked(next(way, &repository))).await;
    let controller = serving(next(way, &service)).await;
    [controller, service, repository]
}

async fn get(url: &str) -> (u16, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(url).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn channel(at: &Address) -> Channel {
    Channel::from_shared(format!("http://{}", at.target))
        .unwrap()
        .connect()
        .await
        .unwrap()
}

#[tokio::test]
async fn gives_the_same_answers_over_both_ways() {
    let ([over_grpc, ..], [over_http, ..]) = (chain("grpc").await, chain("http").await);
    for (path, status, holds) in [
        ("/12", 200, r#"{"id":"12","username":"#),
        ("/100", 200, r#""last_login_at":"20"#),
        ("/101", 404, r#"{"error":"no user has this id"}"#),
        (
            "/0",
            400,
            r#"{"error":"the id of a user is a whole number from 1 to 2147483647"}"#,
        ),
        ("/a%2Fb", 400, "the id of a user"),
        ("/%FF", 400, "the id of a user"),
        ("", 200, r#""page":{"number":1,"size":20,"total":100,"pages":5}"#),
        (
            "?page=2&page_size=50",
            200,
            r#""page":{"number":2,"size":50,"total":100,"pages":2}"#,
        ),
        (
            "?page=0&page_size=0",
            200,
            r#""page":{"number":1,"size":20,"total":100,"pages":5}"#,
        ),
        ("?page=9", 200, r#"{"users":[],"page":{"number":9,"#),
        ("?page=9&page=x", 200, r#"{"users":[],"page":{"number":9,"#),
        ("?page=-1", 400, r#"{"error":"the first page is 1"}"#),
        ("?page_size=101", 400, r#"{"error":"a page has 1 to 100 users"}"#),
        ("?page=x", 400, r#"{"error":"page and page_size are whole numbers"}"#),
    ] {
        let found = get(&format!("{}/api/v1/users{path}", over_grpc.url)).await;
        assert!(found.0 == status && found.1.contains(holds), "{path}: {found:?}");
        assert_eq!(
            get(&format!("{}/api/v1/users{path}", over_http.url)).await,
            found,
            "{path}"
        );
    }
}

#[tokio::test]
async fn shows_figures_of_every_layer() {
    for (way, inner) in [
        (
            "grpc",
            [
                r#"request_duration_seconds_count{operation="GetUser",protocol="grpc"} 2"#,
                r#"grpc_requests_total{code="NotFound",method="GetUser"} 1"#,
                r#"active_connections{protocol="grpc"} 1"#,
            ],
        ),
        (
            "http",
            [
                r#"request_duration_seconds_count{operation="GetUser",protocol="http"} 2"#,
                r#"http_requests_total{operation="GetUser",status="404"} 1"#,
                r#"http_requests_total{operation="GetUser",status="200"} 1"#,
            ],
        ),
    ] {
        let layers = chain(way).await;
        for id in ["1", "101"] {
            get(&format!("{}/api/v1/users/{id}", layers[0].url)).await;
        }
        for layer in &layers[1..] {
            let (_, text) = get(&format!("{}/metrics", layer.url)).await;
            for line in inner.iter().chain([&"process_cpu_seconds_total "]) {
                assert!(text.contains(&format!("\n{line}")), "{way}: no line {line} in {text}");
            }
        }
        let (_, text) = get(&format!("{}/metrics", layers[0].url)).await;
        assert!(
            text.contains("\nhttp_requests_total{operation=\"GetUser\",status=\"404\"} 1"),
            "{text}"
        );
        assert!(text.contains("\nactive_connections{protocol=\"http\"} 1"), "{text}");
    }
}

#[tokio::test]
async fn tells_whether_every_layer_is_healthy_and_refuses_calls_as_requests() {
    let layers = chain("grpc").await;
    for layer in &layers {
        assert_eq!(
            get(&format!("{}/health", layer.url)).await,
            (200, r#"{"status":"SERVING"}"#.to_owned())
        );
        let mut health = HealthClient::new(channel(layer).await);
        for name in ["", "layers.v1.UserService"] {
            let state = health
                .check(HealthCheckRequest {
                    service: name.to_owned(),
                })
                .await;
            assert_eq!(state.unwrap().into_inner().status(), ServingStatus::Serving, "{name:?}");
        }
    }
    let mut users = UserServiceClient::new(channel(&layers[0]).await);
    for (user_id, expected) in [("101", Code::NotFound), ("x", Code::InvalidArgument)] {
        let refused = users
            .get_user(GetUserRequest {
                user_id: user_id.to_owned(),
            })
            .await;
        assert_eq!(refused.unwrap_err().code(), expected);
    }
}

#[tokio::test]
async fn says_what_the_next_layer_did_not_answer() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let at = Address {
        url: format!("http://{gone}"),
        target: gone.to_string(),
    };
    for way in WAYS {
        let controller = serving(next(way, &at)).await;
        let (status, text) = get(&format!("{}/api/v1/users/1", controller.url)).await;
        assert_eq!(status, 502, "{way}");
        assert!(text.contains("onnection refused"), "{way}: {text}");
    }
}

#[tokio::test]
async fn ends_when_it_is_told_to_while_a_connection_is_open() {
    let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let grpc = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = Address {
        url: String::new(),
        target: grpc.local_addr().unwrap().to_string(),
    };
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(Places { http, grpc }, Store::made(1), stop.clone()));
    let _open = channel(&at).await;
    stop.cancel();
    serving.await.unwrap().unwrap();
}

#[test]
fn refuses_a_way_that_there_is_not() {
    let of = |all: &[(&'static str, &str)]| Next::of(&Settings::of(all, |_| None)).err().unwrap().to_string();
    assert!(of(&[("WAY", "carrier")]).contains("grpc or http"));
    for idle in ["0", "many"] {
        let error = of(&[
            ("WAY", "http"),
            ("NEXT_URL", "http://127.0.0.1:1"),
            ("IDLE_CONNECTIONS", idle),
        ]);
        assert!(error.contains("IDLE_CONNECTIONS"), "{error}");
    }
}
