import { Inject, Injectable, Optional } from '@nestjs/common';
import type { WebappEntry, WebappPorts } from '#federation/exchange';
import type { Webapp } from '#federation/protocol';
import { REMOTE_FILES, type RemoteFiles } from '#federation/remote-files';
import { ReceivedShareRepository, type ListedShareRow } from '#persistence';
import { Unavailable } from '#platform';
import { CachedPolicy } from '#settings';

const RETRY_AFTER_SECONDS = 60;

/** Received shares in the database, and the servers of their web applications. */
@Injectable()
export class ReceivedWebapps implements WebappPorts<ListedShareRow> {
  constructor(
    private readonly received: ReceivedShareRepository,
    readonly policy: CachedPolicy,
    @Optional() @Inject(REMOTE_FILES) private readonly files?: RemoteFiles,
  ) {}

  readonly shares = {
    find: (id: number, recipientUid: string) => this.received.find(id, recipientUid),
    enter: (row: ListedShareRow, webapp: Webapp, hosts: readonly string[]) => this.enter(row, webapp, hosts),
  };

  private enter(row: ListedShareRow, { uri }: Webapp, hosts: readonly string[]): Promise<WebappEntry> {
    if (!this.files) throw new Unavailable('this process asks no partners', RETRY_AFTER_SECONDS);
    const { id: receivedShareId, peerId, hostKey, dialect, providerId, name, access } = row;
    const share = { receivedShareId, peerId, hostKey, dialect, providerId, name, access };
    const page = { uri, sealedSecret: row.webappTokenEnc };
    return this.files.enterWebapp({ ...share, sealedSecret: row.tokenEnc }, page, hosts);
  }
}
