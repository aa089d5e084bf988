import type { NodeRow } from '#persistence';
import { goesPastTrash, type PolicySource, type TrashRules } from '#sharing';
import type { TreeView } from '../tree/tree-view';
import type { VisibleNode } from '../tree/visible-node';

/** Decides by the settings of the instance which deletions use the trash bin. */
export class DeletionRules {
  constructor(private readonly policy: PolicySource) {}

  /**
   * Whether a deletion at this place removes the node for good. That happens only to owners: deletions by others, through
   * shares, links or a partner's server, always use the trash bin of its owner.
   */
  async inForce(
    view: TreeView,
  ): Promise<(node: Pick<VisibleNode, 'isReceived'> & { row: NodeRow }) => boolean> {
    if (view.kind !== 'user') return () => false;
    const rules: TrashRules = (await this.policy.current()).trash;
    return ({ isReceived, row }) => !isReceived && goesPastTrash(rules, row);
  }
}
