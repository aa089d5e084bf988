import { Injectable } from '@nestjs/common';
import { NodePropertyRepository } from '#persistence';
import type { ShareView } from '#sharing';

/** The tag that clients know a favourite by. */
const FAVORITE_TAG = '_$!<Favorite>!$_';

/** A user's tags of shared nodes; favourites are the only ones there are. */
@Injectable()
export class FavoriteTags {
  constructor(private readonly properties: NodePropertyRepository) {}

  /** Tags by node id, for all views in one statement. */
  async of(uid: string, views: readonly ShareView[]): Promise<Map<number, readonly string[]>> {
    const nodeIds = [...new Set(views.map((view) => view.share.node.nodeId))];
    const favorites = await this.properties.favorites(nodeIds, uid);
    return new Map([...favorites].map((nodeId) => [nodeId, [FAVORITE_TAG]]));
  }
}
