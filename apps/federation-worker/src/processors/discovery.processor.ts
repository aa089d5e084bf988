import { Inject, Injectable } from '@nestjs/common';
import type { PeerDiscovery } from '#federation/exchange';
import type { JobOf, JobProcessor } from '#queue';
import { PEER_DISCOVERY } from '../partner-ports';

const LIMIT_MS = 20_000;

/** Discovers partners for processes that open no connections themselves. */
@Injectable()
export class DiscoveryProcessor implements JobProcessor<'discovery'> {
  readonly concurrency = 10;

  constructor(@Inject(PEER_DISCOVERY) private readonly discovery: PeerDiscovery) {}

  async process({ hostKey, unlessKnown }: JobOf<'discovery'>): Promise<void> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    await (unlessKnown ? this.discovery.learn(hostKey, signal) : this.discovery.discover(hostKey, signal));
  }
}
