import { join } from 'node:path';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { boundedCache, CONFIG, Places, type Config } from '#platform';
import {
  PreviewCache,
  PreviewRenderer,
  type Preview,
  type PreviewJob,
  type RenderedPicture,
} from '#previews';

const CACHE_BYTES = 256 * 1024 * 1024;
/** Maximum number of waiting pictures, in total and for one account or link. */
const WAITING = 64;
const WAITING_OF_ONE = 24;
const FAILED_KEPT_MS = 600_000;
const FAILED_KEPT = 10_000;

type ReadJob = () => Promise<PreviewJob | undefined>;

/** Small pictures, made by a separate process and cached in a directory. */
@Injectable()
export class RenderedPictures implements OnModuleDestroy {
  private readonly renderer = new PreviewRenderer();
  private readonly cache: PreviewCache;
  private readonly places = new Places(WAITING, WAITING_OF_ONE);
  /** Content that cannot be rendered, by the keys of the cache. */
  private readonly failed = boundedCache<true>(FAILED_KEPT, FAILED_KEPT_MS);

  constructor(@Inject(CONFIG) { DATA_DIR }: Pick<Config, 'DATA_DIR'>) {
    this.cache = new PreviewCache(join(DATA_DIR, 'previews'), CACHE_BYTES);
  }

  onModuleDestroy(): void {
    this.renderer.stop();
  }

  /**
   * Returns a cached picture, or makes it now.
   * @param key identifies one content in one form
   * @param holder account or link that waits for it
   * @param read reads the job if the picture has to be made
   * @param admitKept called before a picture is given that was made earlier, and throws to prevent that
   * @returns undefined if there is nothing to show
   * @throws Unavailable if too many are being made; failures of `read` and `admitKept`
   */
  async get(
    key: string,
    holder: string,
    read: ReadJob,
    admitKept?: () => Promise<void>,
  ): Promise<Preview | undefined> {
    const kept = await this.cache.find(key);
    if (kept) {
      await admitKept?.();
      return kept;
    }
    if (this.failed.get(key)) return undefined;
    const made = await this.make(holder, read);
    if (made) await this.cache.keep(key, made);
    else this.failed.set(key, true);
    return made;
  }

  /** Makes a picture without caching it; otherwise as `get`. */
  async make(holder: string, read: ReadJob): Promise<RenderedPicture | undefined> {
    const giveBack = this.places.take(holder);
    try {
      return await this.renderer.render(read);
    } finally {
      giveBack();
    }
  }
}
