//! A prepared message is serialized, as in the study; "mapped" begins and ends with the struct of a layer, as gRPC does
//! between layers. The names are those of the benchmark in Go (`services/layers/go/internal/users/bench_test.go`).

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use layers_rust::layersv1::{GetUserResponse, ListUsersResponse};
use layers_rust::store::Store;
use layers_rust::users::{Failure, List, Source, User};
use prost::Message;
use serde::{Serialize, de::DeserializeOwned};

/// The benchmarks of one answer, as a struct for JSON and as the answer of a call.
fn measure<Value, Answer>(criterion: &mut Criterion, users: &str, value: &Value)
where
    Value: Clone + Serialize + DeserializeOwned + TryFrom<Answer, Error = Failure>,
    Answer: Message + Default + From<Value>,
{
    let message = Answer::from(value.clone());
    let through = |message: &Answer| Answer::decode(message.encode_to_vec().as_slice());

    let mut group = criterion.benchmark_group("Serialization");
    group.bench_function(BenchmarkId::new("protobuf", users), |bencher| {
        bencher.iter(|| black_box(&message).encode_to_vec());
    });
    group.bench_function(BenchmarkId::new("mapped", users), |bencher| {
        bencher.iter(|| Answer::from(black_box(value).clone()).encode_to_vec());
    });
    group.bench_function(BenchmarkId::new("json", users), |bencher| {
        bencher.iter(|| serde_json::to_vec(black_box(value)).unwrap());
    });
    group.finish();

    let mut group = criterion.benchmark_group("RoundTrip");
    group.bench_function(BenchmarkId::new("protobuf", users), |bencher| {
        bencher.iter(|| through(black_box(&message)).unwrap());
    });
    group.bench_function(BenchmarkId::new("mapped", users), |bencher| {
        bencher.iter(|| Value::try_from(through(&Answer::from(black_box(value).clone())).unwrap()).unwrap());
    });
    group.bench_function(BenchmarkId::new("json", users), |bencher| {
        bencher.iter(|| serde_json::from_slice::<Value>(&serde_json::to_vec(black_box(value)).unwrap()).unwrap());
    });
    group.finish();
}

/// One user, twenty, and a page of fifty.
fn serialization(criterion: &mut Criterion) {
    let store = Store::made(100);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let user = runtime.block_on(store.get("12")).unwrap();
    measure::<User, GetUserResponse>(criterion, "1", &user);
    for size in [20, 50] {
        let list = runtime.block_on(store.list(1, size)).unwrap();
        measure::<List, ListUsersResponse>(criterion, &size.to_string(), &list);
    }
}

criterion_group!(benches, serialization);
criterion_main!(benches);
