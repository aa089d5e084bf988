import type { NodeRow } from '#persistence';
import { goesPastTrash, type PolicySource, type TrashRules } from '#sharing';
import type { TreeView } from '../tree/tree-view';
import type { VisibleNode } from '../tree/visible-node';

/** Decides by the settings of the instance what a deletion leaves in the trash bin. */
export class DeletionRules {
  constructor(private readonly policy: PolicySource) {}

  /**
   * Whether what somebody deletes here is removed for good. Only owners lose anything so: deletions by others, through
   * shares, links or a partner's server, always go into the trash bin of its owner.
   */
  async inForce(
    view: TreeView,
  ): Promise<(node: Pick<VisibleNode, 'isReceived'> & { row: NodeRow }) => boolean> {
    if (view.kind !== 'user') return () => false;
    const rules: TrashRules = (await this.policy.current()).trash;
    return ({ isReceived, row }) => !isReceived && goesPastTrash(rules, row);
  }
}
