import { Injectable } from '@nestjs/common';
import { HandshakeRepository } from '#persistence';
import { SecretBox } from '#platform';

/** As whom trusted servers sign in. */
const SYSTEM_USER = 'system:';
const MAX_HEADER = 512;

/** Knows trusted servers by the secret that was agreed on. */
@Injectable()
export class SystemAddressBook {
  constructor(
    private readonly handshakes: HandshakeRepository,
    private readonly secrets: SecretBox,
  ) {}

  /** The partner whose secret a header brings; undefined for none. */
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
