; Definitions
(function_item (visibility_modifier) @exported name: (_) @name) @definition.function
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item (visibility_modifier) @exported name: (_) @name) @definition.struct
(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item (visibility_modifier) @exported name: (_) @name) @definition.enum
(enum_item name: (_) @name) @definition.enum
(enum_variant name: (_) @name) @definition.enum_member
(trait_item (visibility_modifier) @exported name: (_) @name) @definition.trait
(trait_item name: (_) @name) @definition.trait
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name) (generic_type type: (scoped_type_identifier name: (type_identifier) @name)) (scoped_type_identifier name: (type_identifier) @name)]) @definition.impl
(impl_item type: [(primitive_type) (array_type) (tuple_type) (unit_type) (pointer_type) (function_type) (dynamic_type)] @name) @definition.impl
(impl_item type: (reference_type type: [(type_identifier) (primitive_type) (array_type) (tuple_type) (dynamic_type)] @name)) @definition.impl
(impl_item type: (reference_type type: (generic_type type: (type_identifier) @name))) @definition.impl
(mod_item name: (_) @name) @definition.module
(macro_definition name: (_) @name) @definition.function
(field_declaration name: (_) @name) @definition.property
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.variable
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type

; Local names
(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(parameter pattern: (identifier) @local type: (_) @local.type)
(let_declaration pattern: (identifier) @local type: (_) @local.type)
(let_declaration pattern: (identifier) @local !type value: (_) @local.value)
(closure_parameters (identifier) @local)
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
; In these patterns, an upper-case name is a variant or a constant.
((tuple_struct_pattern type: (_) (identifier) @local) (#match? @local "^[a-z_]"))
((match_pattern (identifier) @local) (#match? @local "^[a-z_]"))
((let_condition pattern: (identifier) @local) (#match? @local "^[a-z_]"))
(type_parameter name: (type_identifier) @local)
[(function_item) (struct_item) (enum_item) (trait_item) (impl_item) (closure_expression) (block) (for_expression) (if_expression) (while_expression) (match_arm)] @scope

; Imports
(use_declaration argument: (scoped_identifier path: (_) @import.source name: (_) @import.name))
(use_declaration argument: (use_as_clause path: (scoped_identifier path: (_) @import.source name: (_) @import.name) alias: (_) @import.alias))
(use_declaration argument: (scoped_use_list path: (_) @import.source list: (use_list (identifier) @import.name)))
(use_declaration argument: (scoped_use_list path: (_) @import.source list: (use_list (use_as_clause path: (identifier) @import.name alias: (_) @import.alias))))
(use_declaration argument: (use_wildcard (_) @import.source) @import.all)

; References
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @name)) @reference.call
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @name)) @reference.call
(macro_invocation macro: (identifier) @name) @reference.call
(impl_item trait: [(type_identifier) @name (generic_type type: (type_identifier) @name) (scoped_type_identifier name: (type_identifier) @name)]) @reference.implements
(trait_bounds (type_identifier) @name) @reference.extends
(type_identifier) @name @reference.usage
(arguments (identifier) @name @reference.usage)
