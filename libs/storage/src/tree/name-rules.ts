import { refusalOfNames, type PolicySource, type RefusedNames } from '#sharing';
import type { NodePath } from './node-path';
import { TreeFailure } from './tree-failure';

/** Decides by the settings of the instance which names new files and folders may have. */
export class NameRules {
  private latest: { readonly rules: RefusedNames; readonly isRefused: (name: string) => boolean } | undefined;

  constructor(private readonly policy: PolicySource) {}

  /**
   * Checks the last name of `path` before an entry gets it; names of new folders on the way are checked, too.
   * @throws TreeFailure `name-blacklisted`
   */
  async admit(path: NodePath): Promise<void> {
    const isRefused = this.refusal((await this.policy.current()).refusedNames);
    if (path.split('/').slice(1).some(isRefused))
      throw new TreeFailure('name-blacklisted', 'The file name is blacklisted');
  }

  private refusal(rules: RefusedNames): (name: string) => boolean {
    if (this.latest?.rules !== rules) this.latest = { rules, isRefused: refusalOfNames(rules) };
    return this.latest.isRefused;
  }
}
