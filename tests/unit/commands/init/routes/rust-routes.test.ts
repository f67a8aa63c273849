import { expect, it } from 'vitest';
import { sourceOperations } from '../../../../../src/commands/init/routes/source-operations.ts';

/** Requests for the sources of a repository, with the routes that have arguments at the end. */
function requestsFor(texts: Readonly<Record<string, string>>) {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  const { operations, further } = sourceOperations({ folder: '', files });
  return [...operations.map(({ binding }) => ('rest' in binding ? binding.rest : binding)), ...further];
}

const ACTIX = `use actix_web::web;

fn main() {
    App::new().configure(routes::all).service(handlers::home);
}
`;

it('finds routes of Actix Web in nested scopes, and those of handlers and of functions that configure', () => {
  const texts = {
    'src/main.rs': ACTIX,
    'src/routes.rs': `pub fn all(cfg: &mut web::ServiceConfig) {
    cfg.service(
        web::scope("/api")
            .service(handlers::tags)
            .service(
                web::scope("/shop")
                    .service(web::resource("").route(web::get().to(shop::list)))
                    .service(web::resource("/{id}").route(web::get().to(shop::one)))
                    .route("/open", web::get().to(shop::open))
                    .configure(crate::books::config),
            ),
    )
    .service(scope("/late").route("", get().to(late)));
}
`,
    'src/books/mod.rs':
      'pub fn config(cfg: &mut web::ServiceConfig) {\n    cfg.service(web::scope("/books").service(newest).route("/old", web::post().to(old)));\n}\n#[get("/newest")]\nasync fn newest() -> impl Responder {}\n',
    'src/handlers.rs':
      '#[get("/tags")]\npub async fn tags() -> impl Responder {}\n\n#[get("/")]\npub async fn home() -> impl Responder {}\n',
  };

  expect(requestsFor(texts).toSorted()).toEqual([
    'GET /',
    'GET /api/shop',
    'GET /api/shop/books/newest',
    'GET /api/shop/open',
    'GET /api/shop/{id}',
    'GET /api/tags',
    'GET /late',
  ]);
});

it('finds routes of warp, below those of the chains that call their functions', () => {
  const texts = {
    'src/main.rs': `mod api;
#[tokio::main]
async fn main() {
    let hello = warp::path!("hello" / String).map(|name| format!("Hi {}", name));
    let root = warp::path::end().map(|| "home");
    let routes = hello.or(root).or(warp::path("v1").and(api::routes(db)));
    warp::serve(routes).run(([0, 0, 0, 0], 3030)).await;
}
`,
    'src/api.rs': `pub fn routes(db: Db) -> impl Filter + Clone {
    books(db.clone()).or(add_book(db.clone())).or(book(db))
}

fn books(db: Db) -> impl Filter + Clone {
    warp::path("books")
        .and(warp::path::end())
        .and(warp::get())
        .and_then(handlers::list)
}

fn add_book(db: Db) -> impl Filter + Clone {
    warp::path!("books").and(warp::post()).and_then(handlers::add)
}

fn book(db: Db) -> impl Filter + Clone {
    warp::get()
        .and(warp::path("books"))
        .and(warp::path::param::<u64>())
        .and_then(handlers::one)
        .or(warp::path!("tags").and(warp::get()).and_then(handlers::tags))
}
`,
  };

  expect(requestsFor(texts)).toEqual([
    'GET /',
    'GET /v1/books',
    'GET /v1/tags',
    'GET /hello/{id}',
    'GET /v1/books/{id}',
  ]);
});
