import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ScimClientRepository, type LiveScimClient, type ScimClientRow } from '#persistence';
import { SecretBox } from '#platform';

const TOKEN = /^scim_[A-Za-z0-9_-]{43}$/;
const USE_NOTED_EVERY_SECONDS = 300;
const NAME = /^[\w .-]{1,64}$/;

/** Clients of SCIM. Each has one random token, which is shown once and found by a keyed hash. */
@Injectable()
export class ScimClients {
  constructor(
    private readonly clients: ScimClientRepository,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Makes a client, or gives one with a revoked token a new one; its accounts and groups stay its own.
   * @returns the token; undefined if the name is invalid, or already has a token
   */
  async create(name: string): Promise<string | undefined> {
    if (!NAME.test(name)) return undefined;
    const token = `scim_${randomBytes(32).toString('base64url')}`;
    return (await this.clients.create(name, this.hashOf(token))) ? token : undefined;
  }

  list(): Promise<readonly ScimClientRow[]> {
    return this.clients.list();
  }

  /** @returns whether there was such a token */
  revoke(name: string): Promise<boolean> {
    return this.clients.revoke(name);
  }

  /** The client of a token; notes its use. */
  async authenticate(token: string): Promise<LiveScimClient | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const client = await this.clients.find(this.hashOf(token));
    if (client) await this.clients.noteUse(client.id, USE_NOTED_EVERY_SECONDS);
    return client;
  }

  private hashOf(token: string): Buffer {
    return this.secrets.lookup(`scim client\n${token}`);
  }
}
