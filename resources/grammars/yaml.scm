; Keys. languages.ts limits their depth and number.
(block_mapping_pair key: (flow_node) @name value: (block_node)? @body) @definition.property
(flow_pair key: (flow_node) @name) @definition.property
