import {
  policyFrom,
  type ReceivedShare,
  type ReceivedShareDecision,
  type ReceivedSharePorts,
  type ReceivedShareState,
} from '#sharing';

/** Received shares in memory, with the messages to their servers. */
export class InMemoryReceivedShares implements ReceivedSharePorts {
  readonly shares = new Map<number, ReceivedShare>();
  /** Entries such as `accepted 3`, `declined 4`, in order. */
  readonly sent: string[] = [];
  private readonly settings = new Map<string, string>();

  readonly policy = { current: () => Promise.resolve(policyFrom(this.settings)) };

  readonly received = {
    list: (recipientUid: string, states: readonly ReceivedShareState[]): Promise<ReceivedShare[]> =>
      Promise.resolve(
        [...this.shares.values()]
          .filter((share) => share.recipientUid === recipientUid && states.includes(share.state))
          .sort((one, other) => one.id - other.id),
      ),
    find: (id: number, recipientUid: string): Promise<ReceivedShare | undefined> =>
      Promise.resolve(this.own(id, recipientUid)),
    noteSeen: (_recipientUid: string, shares: readonly ReceivedShare[]): Promise<void> => {
      for (const share of shares) {
        this.shares.set(share.id, { ...share, isSeen: true });
        this.sent.push(`seen ${share.id}`);
      }
      return Promise.resolve();
    },
    decide: (
      id: number,
      recipientUid: string,
      decide: (share: ReceivedShare) => ReceivedShareDecision | undefined,
    ): Promise<ReceivedShare | undefined> => {
      const share = this.own(id, recipientUid);
      const decision = share && decide(share);
      return Promise.resolve(decision && this.carryOut(share, decision));
    },
  };

  /** @param name `app/key` */
  set(name: string, value: string): void {
    this.settings.set(name, value);
  }

  /** Adds a pending share of a folder for `recipientUid`. */
  add(id: number, recipientUid: string, name: string): void {
    this.shares.set(id, {
      id,
      remote: 'https://cloud.example.org',
      providerId: String(id + 1000),
      shareToken: `token-${id}`,
      name,
      owner: 'alice',
      ownerDisplayName: 'Alice',
      sender: 'alice@cloud.example.org',
      senderDisplayName: 'Alice',
      description: '',
      verified: true,
      recipientUid,
      state: 'pending',
      fileTarget: null,
      rootId: null,
      kind: 'folder',
      permissions: 31,
      expiresAtSeconds: null,
      isSeen: false,
      mimetype: null,
      mtimeSeconds: 0,
      unreachableSinceSeconds: null,
      hasFiles: true,
      webapp: null,
    });
  }

  private own(id: number, recipientUid: string): ReceivedShare | undefined {
    const share = this.shares.get(id);
    return share?.recipientUid === recipientUid ? share : undefined;
  }

  private carryOut(share: ReceivedShare, decision: ReceivedShareDecision): ReceivedShare {
    const folder = decision.shareFolder === '/' ? '' : decision.shareFolder;
    const fileTarget = decision.state === 'accepted' ? `${folder}/${share.name}` : null;
    const decided = { ...share, state: decision.state, fileTarget };
    this.shares.set(share.id, decided);
    const reason = decision.reason === null ? '' : `: ${decision.reason}`;
    this.sent.push(`${decision.state} ${share.id}${reason}`);
    return decided;
  }
}
