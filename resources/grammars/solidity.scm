; Definitions
(contract_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(library_declaration name: (_) @name) @definition.module
(struct_declaration name: (_) @name) @definition.struct
(struct_member name: (_) @name) @definition.property
(enum_declaration name: (_) @name) @definition.enum
(enum_value) @name @definition.enum_member
(function_definition name: (_) @name) @definition.function
(modifier_definition name: (_) @name) @definition.function
(constructor_definition "constructor" @name) @definition.method
(fallback_receive_definition ["receive" "fallback"] @name) @definition.method
(event_definition name: (_) @name) @definition.type
(error_declaration name: (_) @name) @definition.type
(user_defined_type_definition name: (_) @name) @definition.type
(constant_variable_declaration name: (_) @name) @definition.constant
((state_variable_declaration name: (_) @name) @definition.constant (#match? @definition.constant "\\sconstant\\s"))
(state_variable_declaration name: (_) @name) @definition.property

; Local names
(parameter name: (identifier) @local)
(variable_declaration name: (identifier) @local)
[(function_definition) (constructor_definition) (modifier_definition) (block_statement) (for_statement)] @scope

; Imports
(import_directive import_name: (identifier) @import.name alias: (identifier)? @import.alias source: (string) @import.string)
(import_directive !import_name source: (string) @import.string @import.all)

; References
(call_expression function: (expression (identifier) @name)) @reference.call
(call_expression function: (expression (member_expression object: (_) @receiver property: (identifier) @name))) @reference.call
(emit_statement name: (expression (identifier) @name)) @reference.call
(revert_statement error: (expression (identifier) @name)) @reference.call
(modifier_invocation (identifier) @name) @reference.call
(inheritance_specifier ancestor: (user_defined_type (identifier) @name)) @reference.extends
(user_defined_type (identifier) @name) @reference.usage
(call_argument (expression (identifier) @name)) @reference.usage
