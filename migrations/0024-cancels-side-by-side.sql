-- Several cancels of a payment may be under way, as long as they fit into what is not held: the lock of the transaction and the check
-- of its canceled_amount see to that. Programs of the version before look for one under way by themselves; where two of theirs come at
-- the same moment, both are begun now if both fit, and each is carried out alike. Nothing of theirs names this index.
drop index cancels_under_way;
