import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { array, text } from './postgres-types';
import { statement } from './statement';

/** Code of the messages by which `tell_after_commit` hands news to the process. */
const NEWS_CODE = 'DBN01';
/** State of a connection outside of a transaction. */
const IDLE = 'I';

export const ANNOUNCE_NEWS = statement({
  name: 'news.announce',
  params: { news: array(text) },
  sql: `SELECT pg_notify('drawbridge_changes', one) FROM unnest(:news::text[]) AS one`,
});

/** The part of the driver's connection that its types leave out (pg 8.23). */
interface Wire {
  readonly connection: EventEmitter;
}

/**
 * Announces what `tell_after_commit` told in a transaction, after the transaction. Commits that announce something themselves wait for
 * each other, and each for its own write to the disk (ADR 0257). One statement announces what was told while the one before it ran.
 *
 * News of a transaction that was undone are announced, too. News can be lost with this process or with the database, so each reader
 * also looks without news.
 */
export class CommittedNews {
  private readonly waiting = new Set<string>();
  private underWay: Promise<void> | undefined;

  /** @param send announces all of them at once */
  constructor(private readonly send: (news: readonly string[]) => Promise<unknown>) {}

  /** Collects the news of the transactions on this connection. */
  readonly follow = (client: pg.ClientBase): void => {
    const { connection } = client as unknown as Wire;
    const told = new Set<string>();
    const end = ({ status }: { readonly status: string }): void => {
      if (status !== IDLE) return;
      connection.off('readyForQuery', end);
      this.announce(told);
      told.clear();
    };
    client.on('notice', ({ code, message }) => {
      if (code !== NEWS_CODE || message === undefined) return;
      if (told.size === 0) connection.on('readyForQuery', end);
      told.add(message);
    });
  };

  /** Resolves when everything that was told is announced. */
  async settled(): Promise<void> {
    await this.underWay;
  }

  private announce(news: ReadonlySet<string>): void {
    for (const one of news) this.waiting.add(one);
    this.underWay ??= this.announceAll().finally(() => (this.underWay = undefined));
  }

  private async announceAll(): Promise<void> {
    while (this.waiting.size > 0) {
      const news = [...this.waiting];
      this.waiting.clear();
      // Readers look without news, too, and find what could not be announced.
      await this.send(news).catch(() => undefined);
    }
  }
}
