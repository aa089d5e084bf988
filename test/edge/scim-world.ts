import { scimClientsOn } from '#identity';
import { SecretBox } from '#platform';
import { createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const KEY = 'ab'.repeat(32);

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of answers of many forms
  readonly body: any;
}

/** A gateway with a SCIM client. */
export class ScimWorld {
  private constructor(
    readonly test: TestDatabase,
    readonly gateway: TestGateway,
    readonly clients: ReturnType<typeof scimClientsOn>,
    private readonly token: string,
  ) {}

  static async open(client: string): Promise<ScimWorld> {
    const test = await createTestDatabase();
    const gateway = await startGateway({ databaseUrl: test.url, env: { ENCRYPTION_KEY: KEY } });
    const clients = scimClientsOn(test.database, new SecretBox(() => Buffer.from(KEY, 'hex')));
    return new ScimWorld(test, gateway, clients, (await clients.create(client))!);
  }

  async close(): Promise<void> {
    await this.gateway.stop();
    await this.test.drop();
  }

  readonly ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const authorization = `Bearer ${this.token}`;
    const reply = await fetch(`${this.gateway.url}/scim/v2${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/scim+json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
  };

  readonly make = (userName: string, more: object = {}): Promise<Answer> =>
    this.ask('POST', '/Users', { schemas: [USER], userName, ...more });

  readonly patch = (path: string, ...Operations: object[]): Promise<Answer> =>
    this.ask('PATCH', path, { schemas: [PATCH], Operations });

  /** The first column of the first row. */
  readonly one = async (sql: string, ...values: unknown[]): Promise<unknown> =>
    Object.values((await this.test.database.dataSource.query<Record<string, unknown>[]>(sql, values))[0]!)[0];
}
