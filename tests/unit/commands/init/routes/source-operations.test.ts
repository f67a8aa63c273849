import { describe, expect, it } from 'vitest';
import { loginRoutes, sourceOperations } from '../../../../../src/commands/init/routes/source-operations.ts';

type Texts = Readonly<Record<string, string>>;

/** The requests that are proposed for the sources of a repository, and the routes that are only named. */
function routesOf(texts: Texts, folder = '') {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  const { operations, further } = sourceOperations({ folder, files });
  return {
    requested: operations.map(({ binding }) => ('rest' in binding ? binding.rest : binding)),
    further,
    operations,
  };
}

describe('routes of JavaScript and TypeScript', () => {
  it.each<[string, Texts, readonly string[]]>([
    ['Express', { 'app.js': "app.get('/orders', list);\napp.post('/orders', add);" }, ['GET /orders']],
    [
      'a router of another file',
      {
        'src/app.ts': "import orders from './routes/orders';\napp.use('/api', limiter, orders);",
        'src/routes/orders.ts': "const router = Router();\nrouter.get('/orders/', list);",
      },
      ['GET /api/orders'],
    ],
    [
      'routers below routers, one of them by require',
      {
        'server.js': "const api = require('./api');\napp.use('/v1', api);",
        'api/index.js': "router.use('/shops', require('./shops'));",
        'api/shops.js': "router.route('/open').post(x).get(open);",
      },
      ['GET /v1/shops/open'],
    ],
    [
      'a list of routers, below a prefix of the settings',
      {
        'config.js': "module.exports = { api: { prefix: '/rest' } };",
        'app.js': "const routes = require('./routes');\napp.use(config.api.prefix, routes);",
        'routes/index.js':
          "const users = require('./users');\nconst all = [{ path: '/users', route: users }];\nall.forEach((one) => router.use(one.path, one.route));",
        'routes/users.js': "router.get('/', list);",
      },
      ['GET /rest/users'],
    ],
    [
      'Fastify with a prefix',
      {
        'a.js': "app.register(b, { prefix: '/v2' });\nconst b = require('./b');",
        'b.js': "f.route({ method: 'GET', url: '/stock' });",
      },
      ['GET /v2/stock'],
    ],
    [
      'the folders of its autoload',
      {
        'src/app.ts': 'app.register(fastifyAutoload, { dir: x });',
        'src/routes/api/tasks/index.ts': "fastify.get('/', list);",
      },
      ['GET /api/tasks'],
    ],
    [
      'NestJS',
      {
        'main.ts': "app.setGlobalPrefix('api');",
        'cats.ts':
          "@Controller('cats')\nclass Cats {\n  @Get()\n  all() {}\n  @Get('wild')\n  wild() {}\n}\n@Controller()\nclass Root {\n  @Get('open')\n  x() {}\n}",
      },
      ['GET /api/cats', 'GET /api/cats/wild', 'GET /api/open'],
    ],
    [
      'routing-controllers',
      { 'a.ts': "@JsonController('/users')\nclass Users {\n  @Get()\n  all() {}\n  @Get('/open')\n  open() {}\n}" },
      ['GET /users', 'GET /users/open'],
    ],
    [
      'no requests to others, and no comment',
      { 'a.js': "axios.get('/other');\n// app.get('/old', x);\napp.get('/own', x);\napp.get('setting');" },
      ['GET /own'],
    ],
  ])('%s', (_, texts, requested) => {
    expect(routesOf(texts).requested).toEqual(requested);
  });
});

describe('routes of Python', () => {
  it.each<[string, Texts, readonly string[]]>([
    [
      'FastAPI, with prefixes of routers and of what includes them',
      {
        'app/main.py': 'from app.routers import items\napp.include_router(items.router, prefix=settings.PREFIX)',
        'app/settings.py': 'class S:\n    PREFIX: str = "/api/v1"',
        'app/routers/items.py':
          'router = APIRouter(prefix="/items")\n@router.get(\n    "/",\n    response_model=X,\n)\ndef list(): ...',
      },
      ['GET /api/v1/items/'],
    ],
    [
      'Flask, by methods and blueprints',
      {
        'shop/__init__.py': 'from .views import bp as views\napp.register_blueprint(views, url_prefix="/shop")',
        'shop/views.py':
          '@bp.route("/goods")\ndef a(): ...\n@bp.route("/buy", methods=["POST"])\ndef b(): ...\n@bp.route("/both", methods=("GET", "POST"))\ndef c(): ...',
      },
      ['GET /shop/goods', 'GET /shop/both'],
    ],
    [
      'Django, with what urls.py includes',
      {
        'site/urls.py':
          "urlpatterns = [path('admin/', admin.site.urls), path('polls/', include('polls.urls')), url(r'^api/', include('old.urls'))]",
        'polls/urls.py': "urlpatterns = [path('', views.index), path('<int:pk>/', views.detail)]",
        'old/urls.py': "router.register(r'books', BookSet)\nurlpatterns = [url(r'^tags/?$', Tags.as_view())]",
      },
      ['GET /polls/', 'GET /api/tags', 'GET /api/books/'],
    ],
    [
      'Django, without the examples in its docstring and without slashes at the end',
      {
        'site/urls.py':
          '"""Examples:\n    1. urlpatterns: path(\'\', views.home)\n"""\nrouter = DefaultRouter(trailing_slash=False)\nrouter.register("books", Books)\n',
      },
      ['GET /books'],
    ],
    [
      'FastAPI, between texts that end on lines of their own',
      {
        'main.py':
          'ALL = """\nSELECT 1\n"""\n\n@app.get("/users")\ndef users():\n    """Those of today."""\n\nOWN = \'\'\'\nSELECT 2\n\'\'\'\n\n@app.get("/open")\ndef open(): ...\n',
      },
      ['GET /users', 'GET /open'],
    ],
  ])('%s', (_, texts, requested) => {
    expect(routesOf(texts).requested).toEqual(requested);
  });
});

it('routes whose arguments have a type are only named', () => {
  const further = (path: string, text: string) => routesOf({ [path]: text }).further;

  expect(further('app.py', '@app.get("/a")\ndef a(): ...\n@app.get("/a/<int:a_id>")\ndef b(): ...\n')).toEqual([
    'GET /a/{a_id}',
  ]);
  expect(further('m.py', '@app.get("/a")\ndef a(): ...\n@app.get("/f/{name:path}")\ndef b(): ...\n')).toEqual([
    'GET /f/{name}',
  ]);
});

describe('requests that seem to return a token', () => {
  it.each<[string, Texts, readonly string[]]>([
    [
      'Express, below a prefix',
      {
        'app.js': "app.use('/api', require('./users'));",
        'users.js': "router.get('/posts', list);\nrouter.post('/login', login);\nrouter.post('/posts', add);",
      },
      ['POST /api/login'],
    ],
    ['Flask', { 'a.py': '@bp.route("/tokens", methods=["POST"])\ndef a(): ...\n' }, ['POST /tokens']],
    ['Spring', { 'A.java': 'class A {\n @PostMapping("/auth/token")\n T t() {}\n}\n' }, ['POST /auth/token']],
    [
      'Go',
      { 'main.go': 'func main() {\n\tr.POST("/v1/sign-in", in)\n\tr.GET("/tokens", list)\n}\n' },
      ['POST /v1/sign-in'],
    ],
    [
      'NestJS',
      { 'a.ts': "@Controller('auth')\nclass A {\n  @Post('login')\n  in() {}\n  @Get('session')\n  x() {}\n}" },
      ['POST /auth/login'],
    ],
    [
      'a chain of Express, and Fastify',
      {
        'app.js': "app.route('/login').get(page).post(login);\nf.route({ method: 'POST', url: '/token' });",
      },
      ['POST /login', 'POST /token'],
    ],
    [
      'JAX-RS and ASP.NET',
      {
        'A.java': '@Path("/tokens")\npublic class A {\n  @POST\n  public X add() { }\n  @GET\n  public X all() { }\n}',
        'A.cs': 'app.MapPost("/signin", In);\napp.MapGet("/session", Get);',
      },
      ['POST /tokens', 'POST /signin'],
    ],
    [
      'axum and Rocket',
      {
        'src/main.rs':
          'fn app() -> Router {\n  Router::new().route("/login", get(page).post(login)).route("/tokens", get(list))\n}\n#[post("/sign-in", data = "<a>")]\nfn in_(a: A) {}\n',
      },
      ['POST /login', 'POST /sign-in'],
    ],
    ['none of GET', { 'app.js': "app.get('/login', page);", 'a.py': '@bp.route("/login")\ndef a(): ...\n' }, []],
  ])('%s', (_, texts, expected) => {
    expect(loginRoutes({ folder: '', files: Object.entries(texts).map(([path, text]) => ({ path, text })) })).toEqual(
      expected,
    );
  });
});

describe('routes of other languages', () => {
  it.each<[string, Texts, readonly string[]]>([
    [
      'gin, with groups that go from function to function',
      {
        'main.go':
          'func main() {\n\tv1 := r.Group("/v1")\n\tusers.Register(v1.Group("/users"), db)\n\tr.GET("/open", open)\n}\n',
        'users/routes.go': 'func Register(\n\trouter *gin.RouterGroup,\n\tdb *DB,\n) {\n\trouter.GET("/", list)\n}\n',
      },
      ['GET /open', 'GET /v1/users/'],
    ],
    [
      'ozzo and gin, with a call of several lines and a path in two brackets',
      {
        'main.go':
          'func main() {\n\tv1 := r.Group(("/v1"))\n\tusers.Register(v1.Group("/users"),\n\t\tnewService(db),\n\t)\n\n\tr.Get("/open", open)\n}\n',
        'users/routes.go': 'func Register(r *routing.RouteGroup, service Service) {\n\tr.Get("/all", list)\n}\n',
      },
      ['GET /open', 'GET /v1/users/all'],
    ],
    [
      'gin, with calls within a call of several lines, and a comment behind an argument',
      {
        'main.go':
          'func main() {\n\tv1 := r.Group("/v1")\n\tapp.Register(\n\t\tusers.Register(v1),\n\t\titems.Register(\n\t\t\tdb, // the items\n\t\t\tv1.Group("/more"),\n\t\t),\n\t)\n}\n',
        'users/routes.go': 'func Register(router *gin.RouterGroup) {\n\trouter.GET("/users", list)\n}\n',
        'items/routes.go': 'func Register(db *DB, router *gin.RouterGroup) {\n\trouter.GET("/items", list)\n}\n',
      },
      ['GET /v1/users', 'GET /v1/more/items'],
    ],
    [
      'chi, with routes inside routes',
      {
        'main.go':
          'func main() {\n\tr.Route("/shops", func(r chi.Router) {\n\t\tr.Get("/", list)\n\t\tr.Route("/open", func(r chi.Router) {\n\t\t\tr.Get("/now", now)\n\t\t})\n\t})\n\tr.Get("/all", all)\n}\n',
      },
      ['GET /shops/', 'GET /shops/open/now', 'GET /all'],
    ],
    [
      'a guard of the routes after it',
      {
        'main.go':
          'func main() {\n\tr.Get("/albums/<id>", one)\n\tr.Get("/albums", all)\n\n\tr.Use(authHandler)\n\tr.Post("/albums", add)\n}\n',
      },
      ['GET /albums'],
    ],
    [
      'net/http and gorilla/mux',
      {
        'main.go':
          'func main() {\n\tmux.HandleFunc("GET /items/{$}", list)\n\tmux.HandleFunc("POST /items", add)\n\tr.HandleFunc(at("/books"), books).Methods("GET")\n\tr.HandleFunc("/buy", buy).Methods("POST")\n\tr.Methods("GET").Path("/tags").Handler(h)\n}\n',
      },
      ['GET /items/', 'GET /books', 'GET /tags'],
    ],
    [
      'a path behind a variable',
      { 'main.go': 'func main() {\n\tr.HandleFunc(baseUrl + "/cart", cart).Methods(http.MethodGet)\n}\n' },
      ['GET /cart'],
    ],
    [
      'Spring Data REST',
      {
        'A.java':
          '@RepositoryRestResource(collectionResourceRel = "all", path = "people")\ninterface People {\n  @RestResource(path = "byName")\n  X findByName();\n}\n',
        'B.java': '@RepositoryRestResource(path = "hidden", exported = false)\ninterface Hidden {}\n',
      },
      ['GET /people'],
    ],
    [
      'Actix Web, with handlers of more characters than are read',
      {
        'src/main.rs': `fn main() {\n  web::resource("/users").route(web::get().to(list))${'.wrap(Logger::default())'.repeat(30)};\n}\n`,
      },
      ['GET /users'],
    ],
    [
      'Actix Web, with resources and scopes',
      {
        'src/main.rs':
          'fn main() {\n  App::new()\n    .service(\n      web::scope("/api")\n        .service(web::resource("/users").route(web::post().to(add)).route(web::get().to(list)))\n        .service(web::resource("/add").route(web::post().to(add))),\n    )\n    .service(web::resource("/open").route(web::get().to(open)));\n}\n',
      },
      ['GET /api/users', 'GET /open'],
    ],
    [
      'Spring, below a context path',
      {
        'src/main/resources/application.properties': 'server.servlet.context-path=/shop',
        'src/A.java':
          '@RestController\n@RequestMapping("/api/goods")\npublic class A {\n  @GetMapping\n  List<Good> all() { }\n  @GetMapping(path = "/new-ones", produces = "x")\n  X y() { }\n  @RequestMapping(method = RequestMethod.POST)\n  X z() { }\n}',
      },
      ['GET /shop/api/goods', 'GET /shop/api/goods/new-ones'],
    ],
    [
      'JAX-RS',
      { 'A.java': '@Path("/stock")\npublic class A {\n  @GET\n  @Path("/low")\n  public X low() { }\n}' },
      ['GET /stock/low'],
    ],
    [
      'Javalin and Spark, with constants and blocks',
      {
        'A.java':
          'import io.javalin.Javalin;\nclass A {\n void a() {\n  app.routes(() -> {\n   get(Paths.INDEX, Index::page);\n   path("/shop", () -> { get("orders", Orders::all); post("orders", Orders::add); });\n   get("/books", Books::all);\n  });\n  settings.get("PORT");\n }\n}',
        'Paths.java': 'class Paths { static final String INDEX = "/start"; }',
      },
      ['GET /start', 'GET /shop/orders', 'GET /books'],
    ],
    [
      'Ktor',
      {
        'Main.kt':
          'import io.ktor.server.routing.*\nfun Route.all() {\n route("/api") {\n  get("/orders") { call.respond(all()) }\n }\n get("/books") { call.respond(books()) }\n}',
      },
      ['GET /api/orders', 'GET /books'],
    ],
    [
      'axum',
      {
        'src/main.rs':
          'fn app() -> Router {\n  Router::new().nest("/api", users::router()).route("/ready-made", get(x))\n}',
        'src/users.rs':
          'pub fn router() -> Router {\n  Router::new().route("/users", get(list).post(add)).route("/drop", post(d))\n}',
      },
      ['GET /ready-made', 'GET /api/users'],
    ],
    [
      'axum, with calls of several lines',
      {
        'src/main.rs':
          'fn app() -> Router {\n  Router::new()\n    .route(\n      "/articles",\n      post(add).get(list),\n    )\n    .route("/get", post(add))\n}\n',
      },
      ['GET /articles'],
    ],
    [
      'ASP.NET, by groups and by controllers',
      {
        'A.cs': 'var group = app.MapGroup("/todos");\ngroup.MapGet("/", All);\ngroup.MapGet("/done", Done);',
        'B.cs':
          '[Route("api/[controller]")]\npublic class TagsController {\n  [HttpGet]\n  X All() { }\n  [HttpPost("x")]\n  X Add() { }\n}',
      },
      ['GET /todos', 'GET /todos/done', 'GET /api/tags'],
    ],
  ])('%s', (_, texts, requested) => {
    expect(routesOf(texts).requested).toEqual(requested);
  });
});

describe('which routes are asked for', () => {
  it('are those that need neither arguments nor credentials; the others are named', () => {
    const { requested, further } = routesOf({
      'app.js':
        "app.get('/orders/:id', one);\napp.get('/orders', list);\napp.get('/me', me);\napp.get('/secret', requireAuth, x);\napp.get('/health', ok);\napp.get('/logout', out);\napp.get('/websocket/echo', ws);",
    });

    expect(requested).toEqual(['GET /orders']);
    expect(further).toEqual(['GET /health', 'GET /orders/{id}', 'GET /me', 'GET /secret']);
  });

  it('takes a guard of the same path under POST for that of POST alone', () => {
    const { requested } = routesOf({
      'app.js': "app.get('/open', list);\napp.post('/open', requireAuth, add);\napp.get('/secret', requireAuth, x);",
    });

    expect(requested).toEqual(['GET /open']);
  });

  it('takes what is guarded by no other route for guarded', () => {
    const { requested } = routesOf({
      'a.py': '@app.get("/a")\n@login_required\ndef a(): ...\n@app.get("/b")\ndef b(): ...',
    });

    expect(requested).toEqual(['GET /b']);
  });

  it('is its health if all else needs something', () => {
    expect(routesOf({ 'a.js': "app.get('/users/:id', x);\napp.get('/healthz', y);" }).requested).toEqual([
      'GET /healthz',
    ]);
  });

  it('gives each argument an example if nothing goes without', () => {
    const { operations, further } = routesOf({ 'a.js': "app.get('/users/:userId(\\\\d+)/cards/:card', x);" });

    expect(operations).toEqual([
      {
        name: 'UsersByUserIdCardsByCard',
        example: { userId: 1, card: 1 },
        binding: { rest: 'GET /users/{userId}/cards/{card}' },
      },
    ]);
    expect(further).toEqual([]);
  });

  it.each([
    ['src/main.rs', '.service(web::scope("a"'],
    ['src/lib.rs', 'fn a() { x.route("/a", get('],
    ['A.java', '@GetMapping('],
    ['a.go', 'r.GET("/a", ', 'func a() {\n', '\n}\n'],
    ['a.py', '@app.get("/a"'],
    ['b.py', 'app.include_router(x, prefix='],
    ['B.java', '@RepositoryRestResource('],
  ])('take time in proportion to their number though none ends: %s', (path, text, before = '', after = '') => {
    const milliseconds = (length: number) => {
      const start = process.cpuUsage();
      routesOf({ [path]: `${before}${text.repeat(length / text.length)}${after}` });
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    };
    const fastest = (length: number) => Math.min(milliseconds(length), milliseconds(length));

    // 16 times the length: a quadratic reader takes 256 times as long.
    expect(fastest(320_000) / Math.max(5, fastest(20_000))).toBeLessThan(64);
  });

  it('is of one folder, with names of their own', () => {
    const texts = {
      'a/app.js': "app.get('/v1/x-y', a);\napp.get('/v2/x_y', b);\napp.get('/', c);",
      'b/app.js': "app.get('/other', a);",
    };

    expect(routesOf(texts, 'a').operations.map(({ name }) => name)).toEqual(['XY', 'XY-2', 'Index']);
  });

  it('leaves out patterns that are not paths, and ends at routers that hold each other', () => {
    const texts = {
      'a.js': "const b = require('./b');\nrouter.use('/a', b);\nrouter.get('/*', all);\nrouter.get('/x', x);",
      'b.js': "const a = require('./a');\nrouter.use('/b', a);\nrouter.get('/y', y);",
    };

    expect(routesOf(texts).requested.every((one) => typeof one === 'string' && /^GET [\w/]+\/[xy]$/.test(one))).toBe(
      true,
    );
  });
});
