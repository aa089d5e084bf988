import { Injectable } from '@nestjs/common';
import { FederationRefused } from '#federation/protocol';
import { HandshakeRepository } from '#persistence';
import { SecretBox } from '#platform';

/** As whom trusted servers sign in. */
const SYSTEM_USER = 'system:';
const MAX_HEADER = 512;

/** Lets trusted servers in, by the secret that was agreed on. */
@Injectable()
export class SystemAddressBook {
  constructor(
    private readonly handshakes: HandshakeRepository,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws FederationRefused secret-wrong */
  async open(authorization: string | undefined): Promise<void> {
    const secret = secretIn(authorization);
    if (!secret || !(await this.handshakes.isCommonSecret(this.secrets.lookup(secret))))
      throw new FederationRefused('secret-wrong');
  }
}

function secretIn(authorization = ''): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization.slice(0, MAX_HEADER)) ?? [];
  const credentials = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  return credentials.startsWith(SYSTEM_USER) ? credentials.slice(SYSTEM_USER.length) : undefined;
}
