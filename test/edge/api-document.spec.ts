import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appServing } from '#platform';
import { REPOSITORY, startGateway, type TestGateway } from '../../libs/testing/src';
import { routesOf } from './route-table';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters: readonly { name?: string; in: string; required?: boolean }[];
  readonly requestBody?: { content: Record<string, { schema: { properties: Record<string, unknown> } }> };
  readonly responses: Record<string, unknown>;
}

const TEXT = readFileSync(join(REPOSITORY, 'docs/api/openapi.json'), 'utf8');
const DOCUMENT = JSON.parse(TEXT) as { paths: Record<string, Record<string, Operation>> };
const DOCUMENTED = ['share-api', 'capabilities', 'federation-api', 'web'];
const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';

/** `/a/:id(\\d+)` as `/a/{id}`. */
const templateOf = (path: string): string =>
  path.replace(/:(\w+)(\([^)]*\))?/g, '{$1}').replace('*', '{rest}');
const operations = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

describe('the API document', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(async () => {
    await gateway.stop();
  });

  it('is valid OpenAPI 3.1', async () => {
    const { Validator } = await import('@seriousme/openapi-schema-validator');
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(TEXT) as Record<string, unknown>);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
    const broken = JSON.parse(TEXT.replace('"in": "path"', '"in": "nowhere"')) as Record<string, unknown>;
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has the routes of the server, and no others', () => {
    const served = routesOf(gateway.instance.app.nest)
      .filter(({ path }) => DOCUMENTED.includes(appServing(path.replace(/[:*].*$/, 'x')) ?? ''))
      .map(({ method, path }) => `${method === 'ALL' ? 'GET' : method} ${templateOf(path)}`);
    const documented = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(documented.toSorted()).toEqual([...new Set(served)].toSorted());
    expect(documented.length).toBeGreaterThan(100);
  });

  it('names each operation once, and describes it', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) expect(operation.summary).toMatch(/^[A-Z].*\.$/);
  });

  it('requires an account where the server does', async () => {
    const readable = operations.filter(({ path, method }) => method === 'get' && !path.includes('{'));
    for (const { path, operation } of readable) {
      const { status } = await fetch(gateway.url + path);
      expect([path, status === 401]).toEqual([path, operation.security.length > 0]);
    }
  });

  it('has the parameters of the calls', () => {
    const names = ['path', 'shareType', 'shareWith', 'permissions', 'expireDate', 'password', 'publicUpload'];
    const { requestBody } = DOCUMENT.paths[SHARES]!.post!;
    for (const type of ['application/x-www-form-urlencoded', 'application/json'])
      expect(Object.keys(requestBody!.content[type]!.schema.properties)).toEqual(
        expect.arrayContaining(names),
      );
    const listed = DOCUMENT.paths[SHARES]!.get!.parameters.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(['shared_with_me', 'state', 'cursor']));
    const written = DOCUMENT.paths['/ocs/v1.php/cloud/users/{uid}/groups']!.delete!.parameters;
    expect(written).toContainEqual(expect.objectContaining({ name: 'groupid', in: 'query', required: true }));
    expect(written).toContainEqual(expect.objectContaining({ name: 'uid', in: 'path', required: true }));
  });
});
