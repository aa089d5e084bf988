import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NodeEntity } from './node.entity';
import { ExactTextKey } from '../columns';

/** A WebDAV property that clients stored on a node. */
@Entity('dead_property')
@Index('dead_property_favorites', ['name', 'nodeId'], { where: `namespace = 'urn:drawbridge:favorite'` })
export class DeadPropertyEntity {
  @PrimaryColumn('bigint')
  nodeId!: number;

  /** XML namespace of the property. */
  @ExactTextKey()
  namespace!: string;

  /** Local name of the property. */
  @ExactTextKey()
  name!: string;

  /** XML text of the value. */
  @Column('text')
  value!: string;

  @ManyToOne(() => NodeEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'node_id' })
  node?: NodeEntity;
}
