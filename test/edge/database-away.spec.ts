import {
  ADMIN,
  basicAuth,
  createTestDatabase,
  startGateway,
  type TestDatabase,
  type TestGateway,
} from '#testing';
import { offerBody } from '../federation/inbound-partner';
import { EdgeClient, PASSWORD } from './edge-client';

const SHARES = '/apps/files_sharing/api/v1/shares';

describe('while the database is unreachable', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  let client: EdgeClient;
  let link: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startGateway({ databaseUrl: database.url, env: { LOG_LEVEL: 'silent' } });
    client = new EdgeClient(gateway);
    await client.makeUsers('alice');
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    await client.send({ method: 'PUT', target: '/remote.php/webdav/plan.txt', headers, body: 'content' });
    const shared = await client.ocs('POST', SHARES, {
      as: 'alice',
      form: { path: '/plan.txt', shareType: '3' },
    });
    link = (shared.data as { token: string }).token;
  });
  afterAll(async () => {
    await gateway.stop();
    await database.drop();
  });

  const asks = (): [string, Parameters<EdgeClient['send']>[0]][] => {
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    const json = { 'content-type': 'application/json' };
    const crawler = {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'ownCloud Server Crawler',
    };
    const asAdmin = { authorization: basicAuth(ADMIN.uid, ADMIN.password) };
    const offer = JSON.stringify(offerBody('7', 'a-secret-of-the-offer-7'));
    return [
      ['shares', { target: `/ocs/v1.php${SHARES}`, headers }],
      ['shares, version 2', { target: `/ocs/v2.php${SHARES}`, headers }],
      ['users', { target: '/ocs/v1.php/cloud/users', headers: asAdmin }],
      ['a file', { target: '/remote.php/webdav/plan.txt', headers }],
      ['a folder', { method: 'PROPFIND', target: '/remote.php/webdav/', headers }],
      ['the page of a link', { target: `/index.php/s/${link}` }],
      ['an offer of a partner', { method: 'POST', target: '/ocm/shares', headers: json, body: offer }],
      [
        'a caller that reads no envelope',
        {
          method: 'POST',
          target: '/ocs/v2.php/cloud/shares/7/accept',
          headers: crawler,
          body: 'token=SecretOfNoShare',
        },
      ],
    ];
  };

  it('requests get 503 with Retry-After while the database is unreachable, and are served afterwards', async () => {
    const statuses = async (): Promise<unknown[]> => {
      const told: unknown[] = [];
      for (const [what, ask] of asks()) {
        const { status, headers } = await client.send(ask);
        told.push([what, status >= 500 ? status : 'answered', Number(headers['retry-after']) > 0]);
      }
      return told;
    };
    const letIn = await database.cutOff();
    try {
      expect(await statuses()).toEqual(asks().map(([what]) => [what, 503, true]));
    } finally {
      await letIn();
    }
    expect(await statuses()).toEqual(asks().map(([what]) => [what, 'answered', false]));
  });
});
