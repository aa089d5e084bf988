import { Database } from '#persistence';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { SharingWorld } from '../api/sharing-world';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { SlowWay } from './slow-way';

/** A partner whose processes are not tested: it runs in the process of the spec, behind a slow way. */
export class PartnerInProcess {
  readonly outbox: FederationOutbox;

  private constructor(
    private readonly world: SharingWorld,
    private readonly way: SlowWay,
  ) {
    this.outbox = new FederationOutbox(world.gateway.instance.app.nest.get(Database, { strict: false }));
  }

  /**
   * @param wayMs milliseconds of every transfer to it and from it
   * @param prepare creates accounts and files before it is reachable
   */
  static async open(
    wayMs: number,
    prepare: (world: SharingWorld) => Promise<void>,
  ): Promise<PartnerInProcess> {
    const way = await SlowWay.open(wayMs);
    const PUBLIC_URL = `http://127.0.0.1:${way.port}`;
    const world = await SharingWorld.start({
      env: { ...AMONG_FAKES, PUBLIC_URL, FEDERATION_SYNC_WAIT: '0s' },
    });
    await prepare(world);
    way.target = Number(new URL(world.gateway.url).port);
    return new PartnerInProcess(world, way);
  }

  get host(): string {
    return `127.0.0.1:${this.way.port}`;
  }

  /** Its address for users. */
  get url(): string {
    return this.world.gateway.url;
  }

  async close(): Promise<void> {
    await this.way.close();
    await this.world.stop();
  }
}
