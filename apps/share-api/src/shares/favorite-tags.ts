import { Injectable } from '@nestjs/common';
import { NodePropertyRepository } from '#persistence';
import type { ShareView } from '#sharing';

/** The tag that means a favourite for clients. */
const FAVORITE_TAG = '_$!<Favorite>!$_';

/** A user's tags of shared nodes; favourites are the only ones. */
@Injectable()
export class FavoriteTags {
  constructor(private readonly properties: NodePropertyRepository) {}

  /** Tags by node id, for all views with one statement. */
  async of(uid: string, views: readonly ShareView[]): Promise<Map<number, readonly string[]>> {
    const nodeIds = [...new Set(views.map((view) => view.share.node.nodeId))];
    const favorites = await this.properties.favorites(nodeIds, uid);
    return new Map([...favorites].map((nodeId) => [nodeId, [FAVORITE_TAG]]));
  }
}
