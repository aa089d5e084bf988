// The API document: the calls that the controllers of the apps declare, with the tables that describe their parameters.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { answersOf, COMPONENTS, FORMAT } from './openapi-parts.mjs';

const load = createRequire(import.meta.url);
const dist = (path) => load(`../../dist/${path}`);
const { RequestMethod } = load('@nestjs/common');
const keys = load('@nestjs/common/constants');
const { ROUTE_DESCRIPTION } = dist('libs/platform/src/http/describe-route.js');
const { PRODUCT_NAME, PRODUCT_VERSION } = dist('libs/platform/src/version.js');

const APPS = [
  { tag: 'share-api', about: 'Calls of users and administrators.', module: ['share-api', 'ShareApiModule'] },
  { tag: 'capabilities', about: 'Features of this server.', module: ['capabilities', 'CapabilitiesModule'] },
  {
    tag: 'federation-api',
    about: 'Calls of servers of partners; they prove themselves by signatures and by secrets of shares.',
    module: ['federation-api', 'FederationApiModule'],
  },
  { tag: 'web', about: 'Calls of the pages for people.', module: ['web', 'WebModule'] },
];
const FORM = 'application/x-www-form-urlencoded';
const WITH_BODY = ['post', 'put'];

/** @returns the text of docs/api/openapi.json @throws Error naming routes without a description */
export function openApiDocument() {
  const paths = {};
  const undescribed = [];
  for (const {
    tag,
    module: [app, name],
  } of APPS)
    for (const controller of controllersOf(dist(`apps/${app}/src/${app}.module.js`)[name]))
      for (const route of routesOf(controller)) {
        if (!route.description) undescribed.push(`${controller.name}.${route.handler}`);
        else (paths[pathOf(route.path)] ??= {})[route.method] = operationOf(route, controller, tag);
      }
  if (undescribed.length > 0) throw new Error(`routes without a @Describe: ${undescribed.join(', ')}`);
  const document = {
    openapi: '3.1.0',
    info: {
      title: PRODUCT_NAME,
      version: PRODUCT_VERSION,
      description:
        'Written by `npm run generate` from the controllers and the tables that their parameters are read by.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: APPS.map(({ tag, about }) => ({ name: tag, description: about })),
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: COMPONENTS,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The controllers of a module and of its imported modules. */
function controllersOf(module, seen = new Set()) {
  if (seen.has(module)) return [];
  seen.add(module);
  const target = module.module ?? module;
  const listed = (kind) => [...(Reflect.getMetadata(kind, target) ?? []), ...(module[kind] ?? [])];
  return [...listed('controllers'), ...listed('imports').flatMap((one) => controllersOf(one, seen))];
}

/** Guards that require an account. */
const FOR_ACCOUNTS = ['AccountGuard', 'OcsGuard', 'SignedInCallGuard'];

function routesOf(controller) {
  const { prototype } = controller;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => Reflect.hasMetadata(keys.METHOD_METADATA, prototype[name]))
    .flatMap((handler) =>
      pathsOf(controller).flatMap((prefix) =>
        pathsOf(prototype[handler]).map((path) => ({
          handler,
          method: methodOf(prototype[handler]),
          path: `/${prefix}/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1'),
          description: Reflect.getMetadata(ROUTE_DESCRIPTION, prototype[handler]),
          fields: fieldsOf(controller, handler),
          security: securityOf(guardsOf(controller, prototype[handler])),
        })),
      ),
    );
}

const pathsOf = (target) => [Reflect.getMetadata(keys.PATH_METADATA, target)].flat();
const guardsOf = (...targets) =>
  targets
    .flatMap((target) => Reflect.getMetadata(keys.GUARDS_METADATA, target) ?? [])
    .map(({ name }) => name);

/** OpenAPI has no place for some methods: a route for all methods is listed as GET. */
/** The accepted ways to authenticate a call, any of them; none if it needs no authentication. */
function securityOf(guards) {
  if (guards.includes('ScimGuard')) return [{ token: [] }];
  return guards.some((guard) => FOR_ACCOUNTS.includes(guard)) ? [{ password: [] }, { session: [] }] : [];
}

function methodOf(handler) {
  const name = RequestMethod[Reflect.getMetadata(keys.METHOD_METADATA, handler)].toLowerCase();
  return name === 'all' ? 'get' : name;
}

/** The tables that describe a handler's parameters. */
function fieldsOf(controller, handler) {
  const parameters = Reflect.getMetadata(keys.ROUTE_ARGS_METADATA, controller, handler) ?? {};
  const tables = Object.entries(parameters).filter(([key]) => key.includes(keys.CUSTOM_ROUTE_ARGS_METADATA));
  return Object.assign({}, ...tables.map(([, { data }]) => data));
}

/** `/a/:id(^\\d+$)` as `/a/{id}`, and a wild card as `{rest}`. */
const pathOf = (path) => path.replace(/:(\w+)(?:\([^)]*\))?/g, '{$1}').replace('*', '{rest}');

function operationOf(route, controller, tag) {
  const { description, method, path, security } = route;
  const isOcs = path.startsWith('/ocs/v');
  const id = [controller.name.replace('Controller', ''), route.handler, path.replace(/\W+/g, '-')].join('.');
  return {
    tags: [tag],
    operationId: id,
    summary: description.summary,
    security,
    parameters: [...inPath(path), ...inQuery(route), ...(isOcs ? [FORMAT] : [])],
    ...(WITH_BODY.includes(method) && bodyOf(route)),
    responses: answersOf({ answers: description.answers, isOcs, needsAccount: security.length > 0 }),
  };
}

const inPath = (path) =>
  [...pathOf(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function inQuery({ method, fields, description: { query } }) {
  const named = WITH_BODY.includes(method) ? [] : Object.entries(fields);
  const tabled = named.map(([name, { schema, about, isRequired }]) => ({
    name: schema.type === 'array' ? `${name}[]` : name,
    in: 'query',
    description: about,
    ...(isRequired && { required: true }),
    schema,
  }));
  const described = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(query.required?.includes(name) && { required: true }),
    schema,
  }));
  return [...tabled, ...described];
}

function bodyOf({ fields, description: { body, bodyType = 'application/json' } }) {
  if (body) return { requestBody: { required: true, content: { [bodyType]: { schema: body } } } };
  if (Object.keys(fields).length === 0) return {};
  const required = Object.keys(fields).filter((name) => fields[name].isRequired);
  const properties = Object.entries(fields).map(([name, { schema, about }]) => [
    name,
    { ...schema, description: about },
  ]);
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
  const content = { [FORM]: { schema }, 'application/json': { schema } };
  return { requestBody: { ...(required.length > 0 && { required: true }), content } };
}
