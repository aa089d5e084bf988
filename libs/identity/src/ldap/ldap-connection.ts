import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectSecure, type ConnectionOptions } from 'node:tls';
import { Client, ResultCodeError, type Entry, type Filter } from 'ldapts';
import type { LdapSettings } from './ldap-settings';

const CONNECT_MS = 5_000;
/** Time limit of one request, such as one page of a search. */
const ANSWER_MS = 30_000;
const PAGE = 500;
const NO_SUCH_OBJECT = 32;

/** The directory gave no usable answer. Its text is not repeated, because it may contain our request. */
export class LdapFailure extends Error {}

/** One connection to one server of the directory, encrypted as configured, and bound with the reading account. */
export class LdapConnection {
  private constructor(
    private readonly client: Client,
    private readonly settings: LdapSettings,
  ) {}

  /** @throws LdapFailure */
  static async open(settings: LdapSettings, url: URL): Promise<LdapConnection> {
    const { config, ca } = settings;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const tls: ConnectionOptions = {
      host,
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca ? { ca } : {}),
    };
    const client = new Client({
      url: url.href.replace(/\/$/, ''),
      connectTimeout: CONNECT_MS,
      timeout: ANSWER_MS,
      // With these options, the client begins TLS at once.
      ...(url.protocol === 'ldaps:' ? { tlsOptions: tls } : {}),
      ...onlyOnce(),
    });
    const connection = new LdapConnection(client, settings);
    try {
      if (url.protocol === 'ldap:' && config.LDAP_START_TLS) await client.startTLS(tls);
      await connection.bindAsReader();
      return connection;
    } catch (error) {
      await connection.close();
      throw failureOf(error);
    }
  }

  /** Binds with the account that reads the directory. @throws LdapFailure */
  async bindAsReader(): Promise<void> {
    const { LDAP_BIND_DN: dn, LDAP_BIND_PASSWORD: password } = this.settings.config;
    if (dn !== undefined) await this.client.bind(dn, password);
  }

  /**
   * Whether this is the password of an entry. A blank password is refused here: it would be an anonymous bind, which
   * always succeeds. @throws LdapFailure
   */
  async isPasswordOf(dn: string, password: string): Promise<boolean> {
    if (password === '' || dn === '') return false;
    try {
      await this.client.bind(dn, password);
      return true;
    } catch (error) {
      if (error instanceof ResultCodeError && REFUSALS.has(error.code)) return false;
      throw failureOf(error);
    }
  }

  /** Entries below a base, page by page. An answer that the server cuts short is a failure. @throws LdapFailure */
  async *search(
    base: string,
    filter: Filter | string,
    attributes: readonly string[],
  ): AsyncGenerator<readonly Entry[]> {
    const { LDAP_ID_ATTRIBUTE: id } = this.settings.config;
    try {
      const pages = this.client.searchPaginated(base, {
        scope: 'sub',
        filter,
        attributes: [...attributes],
        explicitBufferAttributes: isGuid(id) ? [id] : [],
        paged: { pageSize: PAGE },
      });
      for await (const { searchEntries } of pages) yield searchEntries;
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Some attributes of one entry; none if it is gone. @throws LdapFailure */
  async read(dn: string, attributes: readonly string[]): Promise<Entry | undefined> {
    try {
      const found = await this.client.search(dn, { scope: 'base', attributes: [...attributes] });
      return found.searchEntries[0];
    } catch (error) {
      if (error instanceof ResultCodeError && error.code === NO_SUCH_OBJECT) return undefined;
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    await this.client.unbind().catch(() => undefined);
  }
}

/**
 * Result codes for a wrong password, and for people whom the directory refuses: constraint violation, no such object,
 * inappropriate authentication, invalid credentials, insufficient access, unwilling to perform. Source: RFC 4511, appendix A.
 */
const REFUSALS = new Set([19, 32, 48, 49, 50, 53]);

/** Whether the attribute contains ids of Active Directory, which are bytes. */
export const isGuid = (attribute: string): boolean => attribute.toLowerCase() === 'objectguid';

/** Prevents a silent reconnect after a break: the new connection would neither be encrypted nor bound. */
function onlyOnce() {
  let isUsed = false;
  const once = (): void => {
    if (isUsed) throw new LdapFailure('the connection broke');
    isUsed = true;
  };
  return {
    createConnection: ((port: number, host: string) => {
      once();
      return connectPlain({ port, host });
    }) as typeof connectPlain,
    createSecureConnection: ((...given: unknown[]) => {
      // StartTLS passes an existing connection.
      if (typeof given[0] === 'number') once();
      return (connectSecure as (...options: unknown[]) => ReturnType<typeof connectSecure>)(...given);
    }) as typeof connectSecure,
  };
}

function failureOf(error: unknown): LdapFailure {
  if (error instanceof LdapFailure) return error;
  const reason =
    error instanceof ResultCodeError
      ? `the directory answered with ${error.name} (${error.code})`
      : `the directory gave no answer (${(error as NodeJS.ErrnoException).code ?? (error as Error).message.split('\n')[0]})`;
  return new LdapFailure(reason.slice(0, 300), { cause: error });
}
