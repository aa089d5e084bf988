import { Injectable } from '@nestjs/common';
import { ShareeRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import { PublicAddress } from '#platform';
import type { SearchShareesPorts } from '#sharing';

/** Ports of the search for recipients. */
@Injectable()
export class ServerShareePorts implements SearchShareesPorts {
  constructor(
    readonly policy: CachedPolicy,
    readonly directory: ShareeRepository,
    private readonly address: PublicAddress,
  ) {}

  isOwnDomain(domain: string): boolean {
    const { host, hostname } = new URL(this.address.url);
    const folded = domain.toLowerCase();
    return folded === host || folded === hostname;
  }
}
