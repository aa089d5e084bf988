import { Injectable } from '@nestjs/common';
import type { OcsReply } from '#ocs/http';
import {
  cursorOf,
  listShares,
  LIST_PART,
  type Caller,
  type ListSharesCommand,
  type PageKey,
  type SharePage,
} from '#sharing';
import { FavoriteTags } from './favorite-tags';
import { SharePresenter, type TaggedViews } from './share-presenter';
import { ServerSharingPorts } from './sharing-adapters';

/** Header with the start of the next page; absent on the last one. The body has the form that clients know. */
const NEXT_CURSOR = 'x-next-cursor';

/** Answers list calls: a page, a whole list, or a long list that is read while it is sent. */
@Injectable()
export class ShareLists {
  constructor(
    private readonly ports: ServerSharingPorts,
    private readonly presenter: SharePresenter,
    private readonly tags: FavoriteTags,
  ) {}

  /** @throws SharingFailed for an invalid request, before anything is sent */
  async answer(caller: Caller, command: ListSharesCommand, wantsTags: boolean): Promise<OcsReply> {
    const first = await listShares(this.ports, caller, command);
    if (first.next && !command.page)
      return this.presenter.stream(this.pages(caller, command, wantsTags, first));
    const { views, tags } = await this.tagged(caller, first, wantsTags);
    const reply = await this.presenter.list(views, tags);
    return first.next ? reply.withHeaders({ [NEXT_CURSOR]: cursorOf(first.next) }) : reply;
  }

  private async *pages(
    caller: Caller,
    command: ListSharesCommand,
    wantsTags: boolean,
    first: SharePage,
  ): AsyncGenerator<TaggedViews> {
    let page = first;
    for (;;) {
      yield await this.tagged(caller, page, wantsTags);
      const after: PageKey | undefined = page.next;
      if (!after) return;
      page = await listShares(this.ports, caller, { ...command, page: { limit: LIST_PART, after } });
    }
  }

  private async tagged(caller: Caller, { views }: SharePage, wantsTags: boolean): Promise<TaggedViews> {
    return { views, tags: wantsTags ? await this.tags.of(caller.uid, views) : undefined };
  }
}
