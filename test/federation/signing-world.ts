import {
  deliver,
  startGateway,
  unsigned,
  type SigningPartner,
  type SignOptions,
  type TestGateway,
  type WireAnswer,
} from '../../libs/testing/src';
import { createLogger } from '#platform';
import { SharingGateway } from '../sharing/sharing-gateway';
import { ENCRYPTION_KEY, offerBody } from './inbound-partner';
import { AMONG_FAKES } from './outgoing-world';

/** The address that partners know, for each replica. */
const PUBLIC_URL = 'https://gateway.example';
const ENV = { ...AMONG_FAKES, ENCRYPTION_KEY, PUBLIC_URL };

/** A line of the log about a refused message. */
export interface RefusalLine {
  readonly reason: string;
  readonly partner: string;
  readonly keyId?: string;
}

/** A gateway with alice, to which partners send messages that are signed or not. */
export class SigningWorld {
  private constructor(
    readonly people: SharingGateway,
    private readonly lines: string[],
  ) {}

  static async start(): Promise<SigningWorld> {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
    const people = await SharingGateway.start({ env: ENV, logger });
    await people.addUsers('alice');
    return new SigningWorld(people, lines);
  }

  /** Another one on the same database. */
  replica(): Promise<TestGateway> {
    return startGateway({ env: ENV, databaseUrl: this.people.gateway.databaseUrl });
  }

  stop(): Promise<void> {
    return this.people.stop();
  }

  /** Posts a body as the partner, signed if a way to sign is given. */
  async post(
    partner: SigningPartner,
    path: string,
    body: unknown,
    options?: SignOptions,
    at: string = this.people.gateway.url,
  ): Promise<WireAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : undefined;
    const request = { url: `${PUBLIC_URL}${path}`, body: text, type };
    return deliver(at, options ? await partner.sign(request, options) : unsigned(request));
  }

  /** Offers a share to alice in the name of a host; the default is the partner's own. */
  offer(
    partner: SigningPartner,
    providerId: string,
    options?: SignOptions,
    host = partner.host,
  ): Promise<WireAnswer> {
    return this.post(partner, '/ocm/shares', offerOf(providerId, host), options);
  }

  notify(
    partner: SigningPartner,
    notificationType: string,
    providerId: string,
    options?: SignOptions,
  ): Promise<WireAnswer> {
    const notification = { sharedSecret: secretOf(providerId), message: 'said' };
    const body = { notificationType, resourceType: 'file', providerId, notification };
    return this.post(partner, '/ocm/notifications', body, options);
  }

  /** State and proof of the offer to alice with this id; undefined for none. */
  async received(providerId: string): Promise<{ state: string; verified: boolean } | undefined> {
    const sql = 'SELECT state, verified FROM received_share WHERE provider_id = $1';
    return (await this.people.query<{ state: string; verified: boolean }>(sql, [providerId]))[0];
  }

  /** The partner's keys can be read again, and the stored keys become this much older. */
  async letPass(minutes: number): Promise<void> {
    const columns = ['asked_at', 'answered_at', 'document_read_at', 'jwks_read_at'];
    const back = columns.map((column) => `${column} = ${column} - $1::int * interval '1 minute'`).join(', ');
    await this.people.query(`UPDATE partner_keys SET ${back}`, [minutes]);
    await this.people.query('UPDATE peer SET discovery_failed_until = NULL');
  }

  /** Refusals in the log since the last call. */
  refusals(): RefusalLine[] {
    const lines = this.lines
      .splice(0)
      .map((line) => JSON.parse(line) as RefusalLine & { subsystem?: string });
    return lines.filter(({ subsystem }) => subsystem === 'signatures');
  }
}

/** A separate secret for each share. */
const secretOf = (providerId: string): string => `SecretOfTheShare${providerId}`;

/** An offer to alice of a share whose owner is at `host`. */
export function offerOf(providerId: string, host: string): Record<string, unknown> {
  const address = `rem@http://${host}`;
  return { ...offerBody(providerId, secretOf(providerId)), owner: address, sender: address };
}
