import { Injectable } from '@nestjs/common';
import { HandshakeRepository } from '#persistence';
import { SecretBox } from '#platform';

/** User id with which trusted servers sign in. */
const SYSTEM_USER = 'system:';
const MAX_HEADER = 512;

/** Identifies trusted servers by the agreed secret. */
@Injectable()
export class SystemAddressBook {
  constructor(
    private readonly handshakes: HandshakeRepository,
    private readonly secrets: SecretBox,
  ) {}

  /** The partner whose secret is in a header; undefined for none. */
  async partnerOf(authorization: string | undefined): Promise<number | undefined> {
    const secret = secretIn(authorization);
    return secret ? this.handshakes.partnerWithSecret(this.secrets.lookup(secret)) : undefined;
  }
}

function secretIn(authorization = ''): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization.slice(0, MAX_HEADER)) ?? [];
  const credentials = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  return credentials.startsWith(SYSTEM_USER) ? credentials.slice(SYSTEM_USER.length) : undefined;
}
