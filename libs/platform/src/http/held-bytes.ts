import { networkOf } from './network-of';

export interface HeldLimits {
  /** Bytes of all bodies. */
  readonly total: number;
  /** Bytes of the bodies of one client address. */
  readonly perAddress: number;
}

/** Causes the refusal of an unfinished body. */
type GiveUp = () => void;

interface Holding {
  bytes: number;
  /** Set while the body is unfinished. */
  giveUp: GiveUp | undefined;
}

interface Holder {
  bytes: number;
  /** Holdings of the address, the oldest first. */
  readonly holdings: Set<Holding>;
}

/** The bytes that are held for one body. */
export interface HeldBody {
  /** Holds this number of further bytes. @returns whether there is room for them */
  grow(bytes: number): boolean;
  /** The body is complete: it keeps its bytes until they are released, and is no longer refused for others. */
  finish(): void;
  /** Releases all bytes; may be called again. */
  release(): void;
}

/**
 * Counts the bytes of request bodies that a process holds. Each address has a maximum. If there is no room at
 * all, the oldest unfinished body of the address with the most bytes is refused, so clients with small bodies are
 * not affected.
 */
export class HeldBytes {
  private held = 0;
  private readonly holders = new Map<string, Holder>();

  constructor(private readonly limits: HeldLimits) {}

  /** @param giveUp called at most once, after its bytes were released */
  hold(address: string, giveUp: GiveUp): HeldBody {
    const network = networkOf(address);
    const holder = this.holders.get(network) ?? { bytes: 0, holdings: new Set<Holding>() };
    const holding: Holding = { bytes: 0, giveUp };
    this.holders.set(network, holder);
    holder.holdings.add(holding);
    return {
      grow: (bytes) => holder.holdings.has(holding) && this.grow(holder, holding, bytes),
      finish: () => (holding.giveUp = undefined),
      release: () => this.release(network, holder, holding),
    };
  }

  private grow(holder: Holder, holding: Holding, bytes: number): boolean {
    if (holder.bytes + bytes > this.limits.perAddress) return false;
    while (this.held + bytes > this.limits.total) if (!this.makeRoom(holder.bytes + bytes)) return false;
    this.held += bytes;
    holder.bytes += bytes;
    holding.bytes += bytes;
    return true;
  }

  /** @param wanted bytes of the address that asks for room: only an address with more bytes loses a body */
  private makeRoom(wanted: number): boolean {
    const [network, largest] = [...this.holders].reduce((most, next) =>
      next[1].bytes > most[1].bytes ? next : most,
    );
    if (largest.bytes <= wanted) return false;
    const unfinished = [...largest.holdings].find(({ giveUp }) => giveUp !== undefined);
    if (!unfinished) return false;
    this.release(network, largest, unfinished);
    unfinished.giveUp!();
    return true;
  }

  private release(network: string, holder: Holder, holding: Holding): void {
    if (!holder.holdings.delete(holding)) return;
    this.held -= holding.bytes;
    holder.bytes -= holding.bytes;
    if (holder.holdings.size === 0) this.holders.delete(network);
  }
}
