import { describe, expect, it } from 'vitest';
import { loginRoutes, sourceOperations } from '../../../../../src/commands/init/routes/source-operations.ts';

type Texts = Readonly<Record<string, string>>;

function filesOf(texts: Texts) {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

/** Routes that are requested, and those that are only named. */
function routesOf(texts: Texts): readonly (readonly string[])[] {
  const { operations, further } = sourceOperations({ folder: '', files: filesOf(texts) });
  return [operations.map(({ binding }) => ('rest' in binding ? String(binding.rest) : '')), further];
}

const RAILS = `Rails.application.routes.draw do
  get "up" => "rails/health#show", as: :rails_health_check
  # get "old" => "old#index"
  root to: redirect("/api/v1/articles")

  concern :commentable do
    resources :comments
  end

  namespace :api, defaults: { format: :json } do
    scope :v1, module: :v1 do
      resources :articles, param: :slug,
                           only: %i[index show] do
        get :feed, on: :collection # of the reader
        resources :comments, only: [:index, :create]
        member do
          get :versions
        end
        collection do
          match "search", via: [:get, :post]
        end
      end
      resources :tags, :authors, only: :index
      resource :session, only: [:create]
      post "users/login", to: "sessions#create"
    end
    draw :internal
  end

  authenticate :admin do
    get "reports/all", to: "reports#index"
  end
  mount Sidekiq::Web => "/sidekiq"
end
`;

describe('routes of Rails', () => {
  it('have the paths of the blocks around them', () => {
    const texts = {
      'config/routes.rb': RAILS,
      'config/routes/internal.rb': 'scope "/internal" do\n  resources :jobs, except: [:show]\nend\n',
    };

    expect(routesOf(texts)).toEqual([
      [
        'GET /api/v1/articles',
        'GET /api/v1/articles/search',
        'GET /api/v1/tags',
        'GET /api/v1/authors',
        'GET /api/internal/jobs',
      ],
      [
        'GET /up',
        'GET /api/v1/articles/{id}',
        'GET /api/v1/articles/{article_id}/comments',
        'GET /api/v1/articles/{id}/versions',
        'GET /api/v1/articles/feed',
        'GET /reports/all',
      ],
    ]);
    expect(loginRoutes({ folder: '', files: filesOf(texts) })).toEqual([
      'POST /api/v1/session',
      'POST /api/v1/users/login',
    ]);
  });

  it.each<[string, string, readonly string[]]>([
    ['options in the old form', 'resources :books, :only => [:index], :path => "library"', ['GET /library']],
    ['several actions in one line', 'get :newest, :oldest, controller: "books"', ['GET /newest', 'GET /oldest']],
    ['parts that may be missing', 'get "/books(.:format)", to: "books#index"', ['GET /books']],
    ['a single resource', 'resource :catalog, only: :show', ['GET /catalog']],
    ['a path without its name', 'namespace :v1, path: "" do\n  get "books", to: "x#y"\nend', ['GET /books']],
    [
      'brackets',
      'scope("/a") do\n  resources(:books, only: [:index])\nend\nget("b", to: "b#c")',
      ['GET /a/books', 'GET /b'],
    ],
    ['paths that are patterns', 'get "*path", to: "pages#show"\nget "books/:id", to: "x#y"', ['GET /books/{id}']],
  ])('%s', (_, text, requested) => {
    expect(routesOf({ 'config/routes.rb': `Rails.application.routes.draw do\n${text}\nend\n` })[0]).toEqual(requested);
  });

  it('whose controllers require credentials come last', () => {
    const texts = {
      'config/routes.rb': 'resources :books, only: :index\nget "shelves", to: "shelves#index"\n',
      'app/controllers/books_controller.rb': 'class BooksController\n  before_action :authenticate_user!\nend\n',
      'app/controllers/shelves_controller.rb': 'class X\n  before_action :authenticate_user!, only: :create\nend\n',
    };

    expect(routesOf(texts)).toEqual([['GET /shelves'], ['GET /books']]);
  });
});

describe('routes of Sinatra and Grape', () => {
  it.each<[string, Texts, readonly (readonly string[])[]]>([
    [
      'Sinatra, in several classes',
      {
        'config.ru': "require './app'\nmap '/books' do\n  run Books\nend\nmap('/admin') { run AdminPages }\nrun App\n",
        'app.rb': `require 'sinatra/base'
class App < Sinatra::Base
  get('/') { 'ok' }

  get '/orders' do
    found = if params[:all]
      Order.all
    else
      Order.open
    end
    json found
  end

  get '/orders/:id' do |id|
    halt 404 unless Order[id]
  end

  namespace '/api' do
    get '/items/?' do
      json Item.all
    end
    post '/login' do
      sign_in
    end
  end

  get %r{/(\\d+)} do
  end
end
`,
        'books.rb': "class Books < Sinatra::Base\n  get '/all' do\n  end\nend\n",
        'admin_pages.rb': "class AdminPages < Sinatra::Base\n  get '/all' do\n    protected!\n  end\nend\n",
        'client.rb': 'get "/others"\nresponse = conn.get("/elsewhere") do |request|\nend\n',
      },
      [['GET /', 'GET /orders', 'GET /api/items', 'GET /books/all'], ['GET /orders/{id}']],
    ],
    [
      'Grape, below a path of Rails',
      {
        'config/routes.rb': 'Rails.application.routes.draw do\n  mount API::Root => "/"\nend\n',
        'app/api/api/root.rb':
          "module API\n  class Root < Grape::API\n    prefix :api\n    version 'v1', using: :path\n    mount API::V1::Users\n  end\nend\n",
        'app/api/api/v1/users.rb': `module API
  module V1
    class Users < Grape::API
      resource :users do
        desc 'All of them.'
        params do
          optional :page, type: Integer
        end
        get do
          present User.all
        end

        get :newest do
          present User.newest
        end

        route_param :id, type: Integer do
          get :orders do
            present User.find(params[:id]).orders
          end
        end
      end
    end
  end
end
`,
      },
      [['GET /api/v1/users', 'GET /api/v1/users/newest'], ['GET /api/v1/users/{id}/orders']],
    ],
    ['handlers of neither', { 'lib/client.rb': 'get "/x" do\nend\n' }, [[], []]],
  ])('%s', (_, texts, expected) => {
    expect(routesOf(texts)).toEqual(expected);
  });
});

const LARAVEL = `<?php

use Illuminate\\Support\\Facades\\Route;

// Route::get('/old', fn () => []);
Route::get('/user', function (Request $request) {
    return $request->user();
})->middleware('auth:sanctum');

Route::get('/articles', [ArticleController::class, 'index']);
Route::match(['get', 'post'], '/search', SearchController::class);
Route::post('/login', [AuthController::class, 'login']);

Route::middleware(['auth:sanctum', 'verified'])->group(function () {
    Route::apiResource('orders', OrderController::class);
});

Route::prefix('v2')->controller(ArticleController::class)->group(function () {
    Route::get('articles/{article:slug}', 'show');
    Route::group(['prefix' => 'catalog', 'middleware' => 'cache'], function () {
        Route::apiResources(['books' => BookController::class, 'authors' => AuthorController::class]);
        Route::resource('photos.comments', CommentController::class)->only(['index']);
        Route::apiResource('shelves', ShelfController::class)->except(['index', 'show']);
    });
    Route::prefix('tags')->get('all', 'tags');
});
`;

describe('routes of Laravel', () => {
  it('have the prefixes of the groups around them, and that of the file', () => {
    const texts = {
      'routes/api.php': LARAVEL,
      'routes/web.php': "<?php\nRoute::get('/', fn () => view('welcome'));\n",
    };

    expect(routesOf(texts)).toEqual([
      [
        'GET /api/articles',
        'GET /api/search',
        'GET /api/v2/catalog/books',
        'GET /api/v2/catalog/authors',
        'GET /api/v2/tags/all',
        'GET /',
      ],
      [
        'GET /api/v2/articles/{article}',
        'GET /api/v2/catalog/books/{id}',
        'GET /api/v2/catalog/authors/{id}',
        'GET /api/v2/catalog/photos/{photo}/comments',
        'GET /api/user',
        'GET /api/orders',
        'GET /api/orders/{id}',
      ],
    ]);
    expect(loginRoutes({ folder: '', files: filesOf(texts) })).toEqual(['POST /api/login']);
  });

  const OPEN = "<?php\nRoute::get('open', X::class);\n";
  it.each<[string, Texts, string]>([
    [
      'another prefix of the application',
      {
        'routes/api.php': OPEN,
        'bootstrap/app.php': "<?php\n->withRouting(api: __DIR__.'/../routes/api.php', apiPrefix: 'rest')",
      },
      'GET /rest/open',
    ],
    [
      'a provider',
      {
        'routes/api_v1.php': OPEN,
        'app/Providers/RouteServiceProvider.php':
          "<?php\nRoute::prefix('api/v1')->middleware('api')->group(base_path('routes/api_v1.php'));\n",
      },
      'GET /api/v1/open',
    ],
  ])('have the prefix of %s', (_, texts, expected) => {
    expect(routesOf(texts)[0]).toEqual([expected]);
  });
});

describe('routes of other frameworks of PHP', () => {
  it.each<[string, Texts, readonly (readonly string[])[]]>([
    [
      'Slim',
      {
        'public/index.php': `<?php
$app = AppFactory::create();
$app->get('/', function ($request, $response) { return $response; });
$app->map(['GET', 'POST'], '/orders', Orders::class);
$app->group('/users', function (RouteCollectorProxy $group) {
    $group->get('', ListUsers::class);
    $group->get('/{id:[0-9]{1,9}}', ViewUser::class);
    $group->get('/news[/{year}]', News::class);
});
$name = $request->get('/name');
$client->get('/others', []);
$settings = $app->get('settings');
`,
      },
      [['GET /', 'GET /orders', 'GET /users', 'GET /users/news'], ['GET /users/{id}']],
    ],
    [
      'Lumen',
      {
        'routes/web.php':
          "<?php\n$router->group(['prefix' => 'api', 'middleware' => 'auth'], function () use ($router) {\n  $router->get('books', 'Books@all');\n});\n$router->get('open', 'Open@all');\n",
      },
      [['GET /open'], ['GET /api/books']],
    ],
    [
      'Symfony',
      {
        'src/Controller/BookController.php': `<?php
#[Route('/api/books', name: 'books_')]
#[AsController]
final class BookController extends AbstractController
{
    #[Route('', name: 'list', methods: ['GET'])]
    public function list(): Response { return $this->json([]); }

    #[Route('/{id}', requirements: ['id' => '\\\\d+'], methods: 'GET')]
    public function one(int $id): Response { return $this->json([]); }

    #[Route(
        path: '/new-ones',
        methods: [Request::METHOD_GET, Request::METHOD_POST],
    )]
    public function newest(): Response { return $this->json([]); }

    #[Route('/add', methods: ['POST'])]
    public function add(): Response { return $this->json([]); }

    #[IsGranted('ROLE_USER')]
    #[Route('/mine')]
    public function mine(): Response { return $this->json([]); }
}
`,
        'src/Controller/Home.php':
          "<?php\nclass Home\n{\n  #[Routing\\Route('/open')]\n  public function __invoke() {}\n}\n",
      },
      [
        ['GET /api/books', 'GET /api/books/new-ones', 'GET /open'],
        ['GET /api/books/{id}', 'GET /api/books/mine'],
      ],
    ],
  ])('%s', (_, texts, expected) => {
    expect(routesOf(texts)).toEqual(expected);
  });
});

it('finds routes of Symfony in YAML, and the prefixes of what that imports', () => {
  const texts = {
    'config/routes.yaml': `controllers:
    resource: { path: ../src/Controller/, namespace: App\\Controller }
    type: attribute
    prefix: /api
books:
    path: /books/{page<\\d+>}
    controller: App\\Controller\\Books::list
    methods: GET|HEAD
tags: { path: /tags, methods: [GET] }
add: { path: /added, methods: [POST] }
old: { path: /old, controller: Symfony\\Bundle\\FrameworkBundle\\Controller\\RedirectController }
shop: { resource: "routes/shop.yaml", prefix: /shop/ }
when@dev:
    profiler: { path: /_profiler }
`,
    'config/routes/shop.yaml': 'items: { path: "/items" }\n',
    'src/Controller/Home.php': "<?php\nclass Home\n{\n  #[Route('/open')]\n  public function __invoke() {}\n}\n",
  };

  expect(routesOf(texts)).toEqual([['GET /tags', 'GET /shop/items', 'GET /api/open'], ['GET /books/{page}']]);
});

describe('routes of Hanami, Roda, Phoenix and Plug', () => {
  it.each<[string, Texts, readonly (readonly string[])[]]>([
    [
      'Hanami',
      {
        'config/routes.rb': `module Shop
  class Routes < Hanami::Routes
    root to: "home.show"
    get "/books/:id", to: "books.show"
    slice :api, at: "/api" do
      get "/orders", to: "orders.index"
    end
    scope "admins" do
      get "/shelves", to: "shelves.index"
    end
  end
end
`,
      },
      [['GET /', 'GET /api/orders', 'GET /admins/shelves'], ['GET /books/{id}']],
    ],
    [
      'Roda',
      {
        'app.rb': `require "roda"
class App < Roda
  route do |r|
    r.root do
      view "index"
    end

    r.on "api" do
      r.get "tags" do
        Tag.all
      end
      r.on "books" do
        r.is do
          r.get do
            Book.all
          end
          r.post { Book.create }
        end
        r.get Integer, "chapters" do |id|
          Book[id].chapters
        end
      end
      r.is "authors", String do |name|
        r.get { Author[name] }
      end
    end
    r.hash_branches("")
  end
end
`,
        'routes/shop.rb': 'class App\n  hash_branch("shop") do |r|\n    r.get "items" do\n    end\n  end\nend\n',
      },
      [
        ['GET /', 'GET /api/tags', 'GET /api/books', 'GET /shop/items'],
        ['GET /api/books/{id}/chapters', 'GET /api/authors/{id}'],
      ],
    ],
    [
      'Phoenix and Plug',
      {
        'lib/shop_web/router.ex': `defmodule ShopWeb.Router do
  use ShopWeb, :router

  scope "/", ShopWeb do
    pipe_through :browser

    get "/", PageController, :home
    live "/wall", WallLive
  end

  scope "/api", ShopWeb do
    pipe_through :api

    resources "/books", BookController, only: [:index, :show] do
      resources "/reviews", ReviewController, only: [:index]
    end
    # get "/old", OldController, :index
    scope "/mine" do
      pipe_through [:api, :require_auth]
      get "/orders", OrderController, :index
    end
    get "/tags", TagController, :index
  end

  forward "/raw", ShopWeb.Raw
end
`,
        'lib/shop_web/raw.ex':
          'defmodule ShopWeb.Raw do\n  use Plug.Router\n\n  get "/lines" do\n    send_resp(conn, 200, "a")\n  end\nend\n',
        'lib/shop/books.ex': 'defmodule Shop.Books do\n  def get(id), do: Repo.get(Book, id)\nend\n',
      },
      [
        ['GET /', 'GET /wall', 'GET /api/books', 'GET /api/tags', 'GET /raw/lines'],
        ['GET /api/books/{id}', 'GET /api/books/{book_id}/reviews', 'GET /api/mine/orders'],
      ],
    ],
  ])('%s', (_, texts, expected) => {
    expect(routesOf(texts)).toEqual(expected);
  });
});

describe('sources of strangers are read in no time', () => {
  const LENGTH = 2 ** 18;
  const deep = Array.from({ length: 700 }, (_, depth) => `${' '.repeat(depth)}namespace :a do`).join('\n');

  it.each<[string, string]>([
    ['config/routes.rb', deep],
    ['lib/router.ex', `use Plug.Router\n${'forward "/a", '.repeat(LENGTH / 14)}`],
    ['app.rb', `Roda\n${'r.get "a", Integer, '.repeat(LENGTH / 20)}`],
    ['main.rs', `fn a() { ${'warp::path("a").and('.repeat(LENGTH / 20)}`],
    ['main.rs', 'fn a() { b( '.repeat(LENGTH / 12)],
    ['main.rs', 'cfg.service(web::scope("/a")'.repeat(LENGTH / 28)],
    ['config/routes.yaml', 'a: { resource: ".", prefix: "/a" }\n'.repeat(1000)],
    ['config/routes.rb', 'resources :a, '.repeat(LENGTH / 14)],
    ['config/routes.rb', 'resources :a do |'.repeat(LENGTH / 17)],
    ['config/routes.rb', 'resources :a, only: [\n'.repeat(LENGTH / 22)],
    ['config/routes.rb', `get :a${' '.repeat(LENGTH)}`],
    ['app.rb', `require 'sinatra'\n${'get (\n'.repeat(LENGTH / 6)}`],
    ['app.rb', `Grape::API\n${'version :a using: '.repeat(LENGTH / 18)}`],
    ['config.ru', 'map("/a") { '.repeat(LENGTH / 12)],
    ['config.ru', "map '/a' do run A\n".repeat(LENGTH / 18)],
    ['routes/api.php', "Route::prefix('a')->group(function () {\n".repeat(LENGTH / 40)],
    ['routes/api.php', "Route::prefix('a')->group(fn () => { Route::get('/b', B::class);\n".repeat(LENGTH / 64)],
    ['routes/api.php', "Route::get('/a', ".repeat(LENGTH / 17)],
    ['routes/api.php', 'Route::apiResources(['.repeat(LENGTH / 21)],
    ['index.php', "$app->map(['GET', ".repeat(LENGTH / 18)],
    ['A.php', "#[Route('/a', methods: [".repeat(LENGTH / 24)],
    ['A.php', `#[Route('/a')]${'#[]'.repeat(LENGTH / 3)}`],
  ])('%s, %#', { timeout: 20_000 }, (path, text) => {
    expect(routesOf({ [path]: text })).toHaveLength(2);
  });
});
