import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { Scheme } from '#federation/protocol';
import { EgressFailed, failureOf } from './egress-failed';
import { addressRefusalOf, type EgressRules } from './egress-rules';
import type { SeenCertificates } from './seen-certificates';

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name; tests pass their own. */
export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Resolves names as the system does, with its hosts file. */
export const systemResolver: Resolver = (hostname) => systemLookup(hostname, { all: true });

export interface ConnectorOptions {
  readonly rules: EgressRules;
  readonly resolver: Resolver;
  readonly connectTimeoutMs: number;
  /** PEM certificates of authorities that are trusted besides the usual ones; undefined for the usual ones only. */
  readonly authorities: readonly string[] | undefined;
  /** Gets the certificate of each connection. */
  readonly certificates: SeenCertificates | undefined;
}

/**
 * Makes connections to allowed addresses only.
 *
 * Names are resolved here, and only addresses that pass the check are dialled: a later answer for the name changes nothing. The
 * address of the connected socket is checked once more. Failures are EgressFailed.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const connectors = { https: plainConnector('https', options), http: plainConnector('http', options) };
  return (target, callback) => {
    const scheme = target.protocol === 'https:' ? 'https' : 'http';
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const fail = (error: EgressFailed): void => queueMicrotask(() => callback(error, null));
    // A literal address is dialled without being looked up.
    const refusal = isIP(host) ? addressRefusalOf(host, scheme, options.rules) : undefined;
    if (refusal) return fail(new EgressFailed(refusal, host, false));
    connectors[scheme]({ ...target, hostname: host }, (...[error, socket]) => {
      if (error) return fail(connectFailure(error, host, scheme));
      const arrival = arrivalRefusal(socket, scheme, options.rules);
      if (arrival === undefined) {
        if (socket instanceof TLSSocket) options.certificates?.saw(host, socket.getPeerCertificate());
        return callback(null, socket);
      }
      socket.destroy();
      fail(new EgressFailed(arrival, host, false));
    });
  };
}

function plainConnector(scheme: Scheme, options: ConnectorOptions): buildConnector.connector {
  return buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(scheme, options),
    autoSelectFamily: true,
    ...(options.authorities ? { ca: [...options.authorities] } : {}),
  });
}

function guardedLookup(scheme: Scheme, { rules, resolver }: ConnectorOptions): LookupFunction {
  return (hostname, { all }, callback) => {
    resolver(hostname)
      .then((addresses) => allowedOf(hostname, addresses, scheme, rules))
      .then(
        (allowed) => {
          if (all) callback(null, [...allowed]);
          else callback(null, allowed[0]!.address, allowed[0]!.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
  };
}

/** @throws EgressFailed if no address is left */
function allowedOf(
  host: string,
  addresses: readonly ResolvedAddress[],
  scheme: Scheme,
  rules: EgressRules,
): readonly ResolvedAddress[] {
  const judged = addresses.map((entry) => ({
    entry,
    refusal: addressRefusalOf(entry.address, scheme, rules),
  }));
  const allowed = judged.filter(({ refusal }) => refusal === undefined).map(({ entry }) => entry);
  if (allowed.length > 0) return allowed;
  throw new EgressFailed(judged[0]?.refusal ?? 'unknown-host', host, false);
}

/** Exported for its test: after a guarded look-up, only a fault in the system makes it refuse. */
export function arrivalRefusal(
  socket: Pick<Socket, 'remoteAddress'>,
  scheme: Scheme,
  rules: EgressRules,
): ReturnType<typeof addressRefusalOf> {
  return addressRefusalOf(socket.remoteAddress ?? '', scheme, rules);
}

function connectFailure(error: Error, host: string, scheme: Scheme): EgressFailed {
  if (error instanceof EgressFailed) return error;
  const known = failureOf(error) ?? { failure: 'network', code: error.name };
  // A server that does not speak TLS often just closes the connection.
  const failure = scheme === 'https' && known.failure === 'reset' ? 'tls' : known.failure;
  return new EgressFailed(failure, host, false, known.code);
}
