import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryClient, PartnerFiles, secretsProof } from '#federation/client';
import { readMove, renamePartner, type AskedHost, type RenameRequest } from '#federation/exchange';
import { parseCloudId } from '#federation/protocol';
import { Database, PartnerRenameRepository, PeerRenameRepository, type SettledRename } from '#persistence';
import { actingFor, LOGGER, SecretBox, type Logger } from '#platform';

/** Renames partners for administrators: both hosts are asked, and the new one has to show what the old one shares. */
@Injectable()
export class MovedPartners {
  private readonly moves: PeerRenameRepository;

  constructor(
    private readonly requests: PartnerRenameRepository,
    database: Database,
    private readonly discovery: DiscoveryClient,
    private readonly files: PartnerFiles,
    private readonly secrets: SecretBox,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.moves = new PeerRenameRepository(database);
  }

  /** A settled request is left unchanged, so each is done once. */
  async rename(requestId: number): Promise<void> {
    const request = await this.requests.waiting(requestId);
    if (!request) return;
    const { uid, from: partner, to } = request;
    const result = await actingFor({ kind: 'user', uid }, () => this.resultOf(request));
    await this.requests.settle(requestId, result);
    const reason = result.state === 'refused' ? result.reason : undefined;
    this.logger.info({ subsystem: 'partners', partner, to, reason }, `a partner was ${WORDS[result.state]}`);
  }

  private async resultOf(request: RenameRequest): Promise<SettledRename> {
    const read = await readMove((host) => this.ask(host === 'new' ? request.to : request.from), request);
    if (read.kind === 'no-partner') return refused(`${read.host}-host`, read.failure);
    const { moves } = this;
    const renamed = await renamePartner(
      {
        ...secretsProof(this.files, this.secrets),
        samples: (move, limit) => moves.samples(move, limit),
        move: (move) => moves.rename(move),
      },
      read.move,
    );
    if (renamed.kind === 'unproven') return refused(renamed.reason);
    const { moved, proven, asked } = renamed;
    return { state: 'renamed', moved: { ...moved, proven, asked } };
  }

  /** The answer is not stored: the host may not be a partner yet, or it is an earlier name of one. */
  private async ask(hostKey: string): Promise<AskedHost> {
    const place = { ...parseCloudId(`anybody@${hostKey}`), scheme: null };
    const { conclusion } = await this.discovery.discover(place);
    if (conclusion.kind === 'partner') return conclusion.profile;
    return {
      failure: conclusion.kind === 'no-partner' ? 'it is no server that shares' : conclusion.errorClass,
    };
  }
}

const WORDS = { renamed: 'renamed', refused: 'not renamed' } as const;

const refused = (reason: string, words = ''): SettledRename => ({ state: 'refused', reason, words });
