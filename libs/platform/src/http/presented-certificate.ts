import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';

const CONNECT_MS = 10_000;

/** The certificate of a server, and the reason why it is not trusted. */
export interface PresentedCertificate {
  readonly certificate: Pick<PeerCertificate, 'valid_to' | 'issuer'>;
  /** Code of the TLS library; undefined if the certificate is trusted. */
  readonly objection: string | undefined;
}

/** Reads the certificate of a server, even if it is not trusted; nothing is sent to the server. */
export function presentedCertificate(hostname: string, port: number): Promise<PresentedCertificate> {
  const host = hostname.replace(/^\[|\]$/g, '');
  // A host name is sent to the server; an address is not.
  const named = isIP(host) ? {} : { servername: host };
  return new Promise((found, lost) => {
    const socket = connect({ host, port, ...named, rejectUnauthorized: false, timeout: CONNECT_MS });
    socket.once('secureConnect', () => {
      // The type says Error, but it is a code.
      const { authorizationError: error } = socket as { authorizationError?: unknown };
      const objection = socket.authorized ? undefined : codeOf(error);
      found({ certificate: socket.getPeerCertificate(), objection });
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${CONNECT_MS / 1000} s`)));
    socket.once('error', lost);
  });
}

function codeOf(error: unknown): string {
  if (typeof error === 'string') return error;
  return (error as { code?: string } | null)?.code ?? 'not trusted';
}
