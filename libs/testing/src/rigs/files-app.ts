import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveryState } from '#federation/exchange';
import { Global, Module, type Type } from '@nestjs/common';
import { AccountDirectory, PasswordHasher, UserGroups } from '#identity';
import { AccountRepository, Database, PeerRepository } from '#persistence';
import {
  createLogger,
  randomToken,
  readConfig,
  SecretBox,
  serve,
  type Logger,
  type RunningApp,
} from '#platform';
import { REMOTE_FILES, type RemoteFiles } from '#federation/remote-files';
import { FilesModule } from '../../../../apps/files/src';
import { basicAuth } from '../basic-auth';
import { createTestDatabase } from './test-database';

export const FILES_PASSWORD = 'a-password-of-the-specs';
/** Hash of that password with the least cost, because specs create many users. */
export const FILES_PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$oxbwtuL1pOkQfIp8wGe3iA$SM3kP09Nhg7HNokuH14KbitaUe+Qf+5IGohF5s/f/Zg';

export interface WantedShare {
  readonly path: string;
  readonly owner: string;
  /** A user's id, or a group's with `group` set. */
  /** Default: the owner. */
  readonly initiator?: string;
  readonly recipient: string;
  readonly permissions?: number;
  readonly group?: boolean;
  readonly target?: string;
  readonly state?: 0 | 1 | 2;
  /** `YYYY-MM-DD`. */
  readonly expiresOn?: string;
}

/** A share that a partner made for one of the users. */
export interface ReceivedFromPartner {
  readonly providerId: string;
  readonly recipient: string;
  /** Place in the recipient's tree; its last part is the share's name. */
  readonly target: string;
  /** Default: `folder`; null if the partner did not say. */
  readonly kind?: 'file' | 'folder' | null;
  /** Default: 31. */
  readonly permissions?: number;
  readonly expiresAt?: Date;
}

/** Host of the partner from whom shares are received. */
const PARTNER_HOST = 'partner.example';

export interface WantedLink {
  readonly path: string;
  readonly owner: string;
  /** Default: the owner. */
  readonly initiator?: string;
  /** Default: 1. */
  readonly permissions?: number;
  readonly password?: string;
  /** `YYYY-MM-DD`. */
  readonly expiresOn?: string;
}

export interface WantedFederatedShare {
  readonly path: string;
  readonly owner: string;
  /** Default: the owner. */
  readonly initiator?: string;
  /** Default: 31. */
  readonly permissions?: number;
  /** `YYYY-MM-DD`. */
  readonly expiresOn?: string;
  /** Default: `bea@cloud.partner.example`. */
  readonly recipient?: string;
  /** Default: `delivered`. */
  readonly deliveryState?: DeliveryState;
}

/** Only apps/files, with its own database and blob directory. */
export class FilesApp {
  private rounds = 0;

  private constructor(
    private readonly app: RunningApp,
    readonly database: Database,
    readonly blobDirectory: string,
    /** See TestDatabase. */
    readonly cutDatabaseOff: () => Promise<() => Promise<void>>,
    private readonly clean: () => Promise<void>,
  ) {}

  /**
   * @param remoteFiles the fake for files of partners; without it partners are not asked
   * @param logger default: errors on standard error
   * @param more further environment variables
   */
  static async start(
    remoteFiles?: RemoteFiles,
    logger?: Logger,
    more: Readonly<Record<string, string>> = {},
  ): Promise<FilesApp> {
    const { url, database, cutOff, drop } = await createTestDatabase();
    const dataDirectory = mkdtempSync(join(tmpdir(), 'drawbridge-files-'));
    const env = {
      PORT: '0',
      DATA_DIR: dataDirectory,
      DATABASE_URL: url,
      LOG_LEVEL: 'error',
      ENCRYPTION_KEY: '0'.repeat(64),
      ...more,
    };
    const config = readConfig(env);
    const app = await serve({
      name: 'files',
      module: filesModuleWith(remoteFiles),
      config,
      logger: logger ?? createLogger(config.LOG_LEVEL),
    });
    return new FilesApp(app, database, join(dataDirectory, 'blobs'), cutOff, async () => {
      await drop();
      rmSync(dataDirectory, { recursive: true, force: true });
    });
  }

  get url(): string {
    return this.app.url;
  }

  /** The app's own connections; `database` is the spec's. */
  get appDatabase(): Database {
    return this.app.nest.get(Database, { strict: false });
  }

  get<T>(token: abstract new (...parts: never[]) => T): T {
    return this.app.nest.get(token, { strict: false });
  }

  /** Number of clients' connections. */
  openConnections(): Promise<number> {
    const server = this.app.nest.getHttpServer() as Server;
    return new Promise((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.clean();
  }

  /** New accounts that no earlier test used, named after these. @returns their ids, in the same order */
  async newPeople<const Names extends readonly string[]>(
    ...names: Names
  ): Promise<{ [At in keyof Names]: string }> {
    this.rounds++;
    const uids = names.map((name) => `${name}${this.rounds}`);
    await this.addUsers(...uids);
    return uids as { [At in keyof Names]: string };
  }

  async addUsers(...uids: string[]): Promise<void> {
    const account = { email: null, passwordHash: FILES_PASSWORD_HASH, groups: [] };
    for (const uid of uids) {
      await new AccountRepository(this.database).insert({ ...account, uid, displayName: uid });
      this.get(AccountDirectory).changed(uid);
    }
  }

  async addGroup(gid: string, ...uids: string[]): Promise<void> {
    await this.get(UserGroups).create(gid);
    for (const uid of uids)
      await this.database.dataSource.query('INSERT INTO group_member VALUES ($1, $2)', [gid, uid]);
  }

  authorizationOf(uid: string): string {
    return basicAuth(uid, FILES_PASSWORD);
  }

  /** Sends raw bytes and reads the reply to its end; they must ask for the connection to be closed. */
  async rawRequest(request: string): Promise<string> {
    const socket = connect(this.app.port, '127.0.0.1');
    socket.write(request);
    let reply = '';
    for await (const chunk of socket) reply += String(chunk);
    return reply;
  }

  /** Every file below the blob directory, including temporary ones. */
  storedFiles(): string[] {
    const names = readdirSync(this.blobDirectory, { recursive: true }) as string[];
    return names.filter((name) => statSync(join(this.blobDirectory, name)).isFile());
  }

  /** Sends a request as the user; `path` is in their tree, unescaped. */
  dav(
    method: string,
    uid: string,
    path: string,
    options: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const headers = { authorization: this.authorizationOf(uid), ...options.headers };
    return fetch(this.addressOf(path), { method, headers, body: options.body });
  }

  /** MOVE or COPY within the user's tree. */
  transfer(
    method: 'MOVE' | 'COPY',
    uid: string,
    from: string,
    to: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.dav(method, uid, from, {
      headers: { destination: this.addressOf(to), overwrite: 'F', ...headers },
    });
  }

  addressOf(path: string): string {
    return `${this.url}/remote.php/webdav${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** The value of one property, as its XML; null if the reply says 404 for it. */
  async property(uid: string, path: string, name: string): Promise<string | null> {
    const [prefix, local] = name.split(':') as ['d' | 'oc' | 'ocs' | 'nc', string];
    const body = `<d:propfind xmlns:d="DAV:" xmlns:x="${NAMESPACES[prefix]}"><d:prop><x:${local}/></d:prop></d:propfind>`;
    const reply = await (await this.dav('PROPFIND', uid, path, { body, headers: { depth: '0' } })).text();
    const found = new RegExp(`<(?:\\w+:)?${local}[^>]*?(?:/>|>(.*?)</(?:\\w+:)?${local}>)`, 's').exec(reply);
    return reply.includes(' 200 OK') && found ? (found[1] ?? '') : null;
  }

  /** Stores a share with the rows that share-api would write. @returns its id */
  async share(share: WantedShare): Promise<number> {
    const { permissions = 31, group = false, state = 0, expiresOn = null } = share;
    const target = share.target ?? share.path.slice(share.path.lastIndexOf('/'));
    const [row] = await this.database.dataSource.query<{ id: number }[]>(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target, initial_state, expires_on)
       SELECT $1, n.id, n.owner_uid, $9, $4, $4, $5, $6, $7, $8
       FROM node n WHERE n.owner_uid = $2 AND n.path = $3 RETURNING id`,
      [
        ...[group ? 1 : 0, share.owner, share.path, share.recipient, permissions, target, state, expiresOn],
        share.initiator ?? share.owner,
      ],
    );
    if (!group) {
      const values = [row!.id, share.recipient, state];
      await this.database.dataSource.query(
        'INSERT INTO share_recipient (share_id, uid, state) VALUES ($1, $2, $3)',
        values,
      );
    }
    return row!.id;
  }

  /** Sets `attributes` of the share, as JSON text. */
  async setAttributes(shareId: number, attributes: string | null): Promise<void> {
    await this.database.dataSource.query('UPDATE share SET attributes = $2 WHERE id = $1', [
      shareId,
      attributes,
    ]);
  }

  /** Stores an accepted share from a partner with the rows that share-api would write. @returns its id */
  async receive(share: ReceivedFromPartner): Promise<number> {
    const { recipient, target, kind = 'folder', permissions = 31, expiresAt = null } = share;
    const [secrets, secret] = [this.get(SecretBox), randomToken()];
    const [row] = await this.database.dataSource.query<{ id: number }[]>(
      `WITH p AS (INSERT INTO peer (host_key) VALUES ($1) ON CONFLICT (host_key) DO UPDATE SET host_key = excluded.host_key RETURNING id)
       INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
         dialect, state, file_target, expires_at)
       SELECT p.id, $2, $3, $4, $5, 'owner@' || $1, 'owner@' || $1, $6, $7, $8, 'legacy', 'accepted', $9, $10 FROM p RETURNING id`,
      [
        PARTNER_HOST,
        share.providerId,
        secrets.lookup(secret),
        secrets.seal(secret),
        recipient,
        target.slice(target.lastIndexOf('/') + 1),
        kind,
        permissions,
        target,
        expiresAt,
      ],
    );
    return row!.id;
  }

  /** Stores a public link with the rows that share-api would write. */
  async link(link: WantedLink): Promise<{ id: number; token: string }> {
    const { owner, path, initiator = owner, permissions = 1, password, expiresOn = null } = link;
    const [secrets, token] = [this.get(SecretBox), randomToken()];
    const passwordHash = password === undefined ? null : await this.get(PasswordHasher).hash(password);
    const [row] = await this.database.dataSource.query<{ id: number }[]>(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, token_hmac, token_enc, password_hash, expires_on)
       SELECT 3, n.id, n.owner_uid, $3, $4, $5, $6, $7, $8 FROM node n WHERE n.owner_uid = $1 AND n.path = $2 RETURNING id`,
      [
        owner,
        path,
        initiator,
        permissions,
        secrets.lookup(token),
        secrets.seal(token),
        passwordHash,
        expiresOn,
      ],
    );
    return { id: row!.id, token };
  }

  /** Stores a share with another instance with the rows that share-api and the worker would write. */
  async federatedShare(share: WantedFederatedShare): Promise<{ id: number; token: string }> {
    const { owner, path, initiator = owner, permissions = 31, expiresOn = null } = share;
    const { recipient = 'bea@cloud.partner.example', deliveryState = 'delivered' } = share;
    const [secrets, token] = [this.get(SecretBox), randomToken()];
    const { id: peerId } = await new PeerRepository(this.database).ensure(recipient.split('@')[1]!);
    const [row] = await this.database.dataSource.query<{ id: number }[]>(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on,
         token_hmac, token_enc, peer_id, delivery_state, delivered_at, acceptance)
       SELECT 6, n.id, n.owner_uid, $3, $4, $4, $5, $6, $7, $8, $9, $10, CASE WHEN $10 = 'delivered' THEN now() END, 'unknown'
       FROM node n WHERE n.owner_uid = $1 AND n.path = $2 RETURNING id`,
      [
        ...[owner, path, initiator, recipient, permissions, expiresOn],
        ...[secrets.lookup(token), secrets.seal(token), peerId, deliveryState],
      ],
    );
    return { id: row!.id, token };
  }
}

function filesModuleWith(remoteFiles: RemoteFiles | undefined): Type<unknown> {
  if (!remoteFiles) return FilesModule;

  @Global()
  @Module({ providers: [{ provide: REMOTE_FILES, useValue: remoteFiles }], exports: [REMOTE_FILES] })
  class SpecRemoteFiles {}

  @Module({ imports: [SpecRemoteFiles, FilesModule] })
  class SpecFiles {}

  return SpecFiles;
}

const NAMESPACES = {
  d: 'DAV:',
  oc: 'http://owncloud.org/ns',
  ocs: 'http://open-collaboration-services.org/ns',
  nc: 'http://nextcloud.org/ns',
};
